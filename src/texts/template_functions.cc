// SPDX-License-Identifier: Apache-2.0
// Jinja's filters and tests, and the methods of maps, as far as chat templates use them.
#include "texts/template_functions.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/error.h"
#include "texts/template_members.h"

namespace lffn {
namespace {

using Kind = TemplateValue::Kind;

constexpr std::string_view kFilters[] = {"capitalize", "count",      "d",       "default", "first", "items",
                                         "join",       "last",       "length",  "list",    "lower", "map",
                                         "reject",     "rejectattr", "replace", "reverse", "safe",  "select",
                                         "selectattr", "string",     "title",   "tojson",  "trim",  "upper"};
constexpr std::string_view kTests[] = {
    "!=",      "==",          "boolean", "defined", "divisibleby", "eq",       "equalto", "even",     "false",
    "ge",      "greaterthan", "gt",      "in",      "integer",     "iterable", "le",      "lessthan", "lt",
    "mapping", "ne",          "none",    "number",  "odd",         "sequence", "string",  "true",     "undefined"};
constexpr std::string_view kMethods[] = {"capitalize", "count", "endswith", "find",   "get",          "items",
                                         "join",       "keys",  "lower",    "lstrip", "removeprefix", "removesuffix",
                                         "replace",    "rfind", "rsplit",   "rstrip", "split",        "startswith",
                                         "strip",      "title", "upper",    "values"};

template <size_t count>
bool is_one_of(const std::string_view (&names)[count], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The part of an item that an attribute names, or a path of attributes with points between.
TemplateValue attribute_of(TemplateValue item, const std::string& path, TemplateBudget& budget) {
  budget.spend(path.size());
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    const bool is_place = !part.empty() && part.size() < 10 &&
                          std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    item = item_of(item, is_place ? TemplateValue::integer(std::stoll(part)) : TemplateValue::text(part), budget);
    begin = end + 1;
  }
  return item;
}

const std::string& attribute_name(const TemplateValue& name, const TemplateArguments& arguments) {
  if (!name.is(Kind::kText)) arguments.unsupported("an attribute that is no text");
  return name.text();
}

TemplateArguments behind(const TemplateArguments& arguments, size_t first, TemplateBudget& budget) {
  budget.spend(kItemBytes * arguments.values.size());
  for (const auto& [name, value] : arguments.named) budget.spend(kItemBytes + name.size());
  TemplateArguments rest = arguments;
  rest.values.erase(rest.values.begin(),
                    rest.values.begin() + static_cast<ptrdiff_t>(std::min(first, rest.values.size())));
  return rest;
}

// The items that filters go through. A value that is false has none, whatever it is.
TemplateValue::List items_of_filter(const TemplateValue& value, TemplateBudget& budget) {
  return value.is_true() ? items_of(value, budget) : TemplateValue::List();
}

TemplateValue mapped(const TemplateValue& value, const TemplateArguments& arguments, TemplateBudget& budget) {
  TemplateValue::List result;
  if (arguments.values.empty()) {
    arguments.check(0, {"attribute", "default"});
    const std::string& path = attribute_name(arguments.need(0, "attribute"), arguments);
    const TemplateValue* const otherwise = arguments.find(1, "default");
    for (const TemplateValue& item : items_of_filter(value, budget)) {
      TemplateValue part = attribute_of(item, path, budget);
      if (part.is(Kind::kUndefined) && otherwise != nullptr) part = *otherwise;
      result.push_back(std::move(part));
    }
    return TemplateValue::stream(std::move(result));
  }
  const std::string& name = attribute_name(arguments.values[0], arguments);
  if (!is_template_filter(name)) arguments.unsupported(("the filter " + in_quotes(name)).c_str());
  if (name == "map") arguments.unsupported("itself");
  const TemplateArguments rest = behind(arguments, 1, budget);
  for (const TemplateValue& item : items_of_filter(value, budget))
    result.push_back(filter_value(name, item, rest, budget));
  return TemplateValue::stream(std::move(result));
}

// The items for which a test holds, or does not hold. It tests the items themselves or one of their attributes.
TemplateValue selected(const TemplateValue& value, const TemplateArguments& arguments, bool wanted, bool of_attribute,
                       TemplateBudget& budget) {
  const size_t first = of_attribute ? 1 : 0;
  const std::string none;
  const std::string& path = of_attribute ? attribute_name(arguments.need(0, ""), arguments) : none;
  const TemplateValue* const test = arguments.find(first, "");
  const std::string& name = test != nullptr ? attribute_name(*test, arguments) : none;
  if (test != nullptr && !is_template_test(name)) arguments.unsupported(("the test " + in_quotes(name)).c_str());
  const TemplateArguments rest = behind(arguments, first + 1, budget);
  TemplateValue::List result;
  for (const TemplateValue& item : items_of_filter(value, budget)) {
    const TemplateValue of_what = of_attribute ? attribute_of(item, path, budget) : item;
    const bool holds = test == nullptr ? of_what.is_true() : test_value(name, of_what, rest, budget);
    if (holds == wanted) result.push_back(item);
  }
  return TemplateValue::stream(std::move(result));
}

std::string joined(const TemplateValue& value, const TemplateArguments& arguments, TemplateBudget& budget) {
  arguments.check(2, {"d", "attribute"});
  const TemplateValue* const given = arguments.find(0, "d");
  const TemplateValue* const attribute = arguments.find(1, "attribute");
  const std::string between = given != nullptr ? text_of(*given, budget) : std::string();
  std::string result;
  bool is_first = true;
  for (const TemplateValue& item : items_of(value, budget)) {
    if (!is_first) result += between;
    is_first = false;
    budget.spend(between.size());
    result += text_of(attribute != nullptr ? attribute_of(item, attribute_name(*attribute, arguments), budget) : item,
                      budget);
  }
  return result;
}

// As Python's json.dumps writes it, with characters as they are.
void append_quoted(std::string& to, const std::string& text) {
  constexpr std::string_view kCharacters = "\"\\\n\r\t\b\f", kLetters = "\"\\nrtbf";
  constexpr const char* kDigits = "0123456789abcdef";
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const size_t at = kCharacters.find(c); at != std::string_view::npos) {
      to += '\\';
      to += kLetters[at];
    } else if (byte < 0x20) {
      to += "\\u00";
      to += kDigits[byte >> 4];
      to += kDigits[byte & 15];
    } else {
      to += c;
    }
  }
  to += '"';
}

// A list may hold the same list many times, so each part spends.
void append_json(std::string& to, const TemplateValue& value, TemplateBudget& budget) {
  constexpr size_t kShortest = 8;
  budget.spend(kShortest);
  const auto append_text = [&](const std::string& text) {
    const size_t before = to.size();
    append_quoted(to, text);
    budget.spend(to.size() - before);
  };
  switch (value.kind()) {
    case Kind::kNone:
      to += "null";
      return;
    case Kind::kBoolean:
      to += value.number() != 0 ? "true" : "false";
      return;
    case Kind::kInteger:
      to += std::to_string(value.number());
      return;
    case Kind::kText:
      return append_text(value.text());
    case Kind::kList: {
      value.use();
      to += '[';
      bool is_first = true;
      for (const TemplateValue& item : value.items()) {
        if (!is_first) to += ", ";
        is_first = false;
        append_json(to, item, budget);
      }
      to += ']';
      return;
    }
    case Kind::kMap: {
      to += '{';
      bool is_first = true;
      for (const auto& [name, item] : value.members()) {
        if (!is_first) to += ", ";
        is_first = false;
        append_text(name);
        to += ": ";
        append_json(to, item, budget);
      }
      to += '}';
      return;
    }
    default:
      fail(LFFN_ERROR_INVALID_ARGUMENT, "there is no JSON of %s", value.kind_name());
  }
}

TemplateValue to_json(const TemplateValue& value, const TemplateArguments& arguments, TemplateBudget& budget) {
  arguments.check(0, {"ensure_ascii", "indent"});
  for (const auto& [name, given] : arguments.named) {
    if (given.is_true()) arguments.unsupported(("the argument " + in_quotes(name)).c_str());
  }
  std::string json;
  append_json(json, value, budget);
  return TemplateValue::text(std::move(json));
}

TemplateValue end_of(const TemplateValue& value, bool first, TemplateBudget& budget) {
  const TemplateValue::List items = items_of(value, budget);
  if (items.empty()) return TemplateValue::undefined(first ? "the first item of nothing" : "the last item of nothing");
  return first ? items.front() : items.back();
}

TemplateValue reversed(const TemplateValue& value, TemplateBudget& budget) {
  TemplateValue::List items = items_of(value, budget);
  std::reverse(items.begin(), items.end());
  if (!value.is(Kind::kText)) return TemplateValue::stream(std::move(items));
  std::string text;
  for (const TemplateValue& item : items) text += item.text();
  return TemplateValue::text(std::move(text));
}

TemplateValue pairs_of(const TemplateValue& value, TemplateBudget& budget) {
  TemplateValue::List pairs;
  if (value.is(Kind::kUndefined)) return TemplateValue::list({});
  if (!value.is(Kind::kMap)) fail(LFFN_ERROR_INVALID_ARGUMENT, "there are no items of %s", value.kind_name());
  for (const auto& [name, item] : value.members()) {
    budget.spend(name.size() + 3 * kItemBytes);
    pairs.push_back(TemplateValue::list({TemplateValue::text(name), item}));
  }
  return TemplateValue::list(std::move(pairs));
}

int64_t need_number(const TemplateValue& value, const TemplateArguments& arguments) {
  if (!value.is_number()) arguments.unsupported("what is no number");
  return value.number();
}

}  // namespace

bool is_template_filter(std::string_view name) { return is_one_of(kFilters, name); }
bool is_template_test(std::string_view name) { return is_one_of(kTests, name); }
bool is_template_method(std::string_view name) { return is_one_of(kMethods, name); }

TemplateValue filter_value(std::string_view name, const TemplateValue& value, const TemplateArguments& arguments,
                           TemplateBudget& budget) {
  if (name == "default" || name == "d") {
    arguments.check(2, {"default_value", "boolean"});
    const TemplateValue* const otherwise = arguments.find(0, "default_value");
    const TemplateValue* const boolean = arguments.find(1, "boolean");
    const bool replaces = value.is(Kind::kUndefined) || (boolean != nullptr && boolean->is_true() && !value.is_true());
    return !replaces ? value : otherwise != nullptr ? *otherwise : TemplateValue::text("");
  }
  if (name == "map") return mapped(value, arguments, budget);
  if (name == "select" || name == "reject") return selected(value, arguments, name == "select", false, budget);
  if (name == "selectattr" || name == "rejectattr") {
    return selected(value, arguments, name == "selectattr", true, budget);
  }
  if (name == "join") return TemplateValue::text(joined(value, arguments, budget));
  if (name == "tojson") return to_json(value, arguments, budget);
  if (name == "replace") return TemplateValue::text(replaced(text_of(value, budget), arguments, budget));
  if (name == "trim") {
    arguments.check(1, {"chars"});
    const TemplateValue* const characters = arguments.find(0, "chars");
    if (characters != nullptr && !characters->is(Kind::kNone) && !characters->is(Kind::kText)) {
      arguments.unsupported("characters that are no text");
    }
    return TemplateValue::text(stripped(text_of(value, budget), characters, true, true, budget));
  }
  arguments.check(0, {});
  if (name == "length" || name == "count") return TemplateValue::integer(length_of(value, budget));
  if (name == "first" || name == "last") return end_of(value, name == "first", budget);
  if (name == "list") return TemplateValue::list(items_of(value, budget));
  if (name == "items") return pairs_of(value, budget);
  if (name == "reverse") return reversed(value, budget);
  if (name == "string" || name == "safe") return TemplateValue::text(text_of(value, budget));
  return TemplateValue::text(with_case(text_of(value, budget), name[0], true, arguments));
}

bool test_value(std::string_view name, const TemplateValue& value, const TemplateArguments& arguments,
                TemplateBudget& budget) {
  const auto other = [&]() -> const TemplateValue& {
    arguments.check(1, {});
    return arguments.need(0, "");
  };
  if (name == "eq" || name == "==" || name == "equalto") return are_equal(value, other(), budget);
  if (name == "ne" || name == "!=") return !are_equal(value, other(), budget);
  if (name == "in") return is_within(value, other(), budget);
  if (name == "lt" || name == "lessthan") return is_less(value, other(), budget);
  if (name == "gt" || name == "greaterthan") return is_less(other(), value, budget);
  if (name == "le") return !is_less(other(), value, budget);
  if (name == "ge") return !is_less(value, other(), budget);
  if (name == "divisibleby") {
    const int64_t by = need_number(other(), arguments);
    if (by == 0) arguments.unsupported("zero");
    return by == -1 || need_number(value, arguments) % by == 0;
  }
  arguments.check(0, {});
  if (name == "defined") return !value.is(Kind::kUndefined);
  if (name == "undefined") return value.is(Kind::kUndefined);
  if (name == "none") return value.is(Kind::kNone);
  if (name == "string") return value.is(Kind::kText);
  if (name == "boolean") return value.is(Kind::kBoolean);
  if (name == "integer") return value.is(Kind::kInteger);
  if (name == "number") return value.is_number();
  if (name == "true") return value.is(Kind::kBoolean) && value.number() != 0;
  if (name == "false") return value.is(Kind::kBoolean) && value.number() == 0;
  if (name == "mapping") return value.is(Kind::kMap);
  if (name == "odd" || name == "even") return (need_number(value, arguments) % 2 != 0) == (name == "odd");
  const bool has_parts =
      value.is(Kind::kText) || value.is(Kind::kList) || value.is(Kind::kMap) || value.is(Kind::kUndefined);
  return has_parts && !(name == "sequence" && value.is_stream());  // else the test is "iterable"
}

TemplateValue call_method(std::string_view name, const TemplateValue& value, const TemplateArguments& arguments,
                          TemplateBudget& budget) {
  TemplateValue result;
  if (value.is(Kind::kText) && call_text_method(name, value.text(), arguments, budget, result)) return result;
  if (value.is(Kind::kMap)) {
    if (name == "items" || name == "keys" || name == "values") {
      arguments.check(0, {});
      if (name == "items") return pairs_of(value, budget);
      if (name == "keys") return TemplateValue::list(items_of(value, budget));
      TemplateValue::List values;
      for (const auto& [key, item] : value.members()) {
        budget.spend(kItemBytes);
        values.push_back(item);
      }
      return TemplateValue::list(std::move(values));
    }
    if (name == "get") {
      arguments.check(2, {});
      const TemplateValue found = item_of(value, arguments.need(0, ""), budget);
      const TemplateValue* const otherwise = arguments.find(1, "");
      return !found.is(Kind::kUndefined) ? found : otherwise != nullptr ? *otherwise : TemplateValue::none();
    }
  }
  if (value.is(Kind::kUndefined)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is called of %s, which is not defined", arguments.callee.c_str(),
         in_quotes(value.text()).c_str());
  }
  fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is called of %s", arguments.callee.c_str(), value.kind_name());
}

}  // namespace lffn
