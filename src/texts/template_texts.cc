// SPDX-License-Identifier: Apache-2.0
// Methods of texts in chat templates, as Python's str has them.
#include <algorithm>

#include "format/utf8.h"
#include "runtime/error.h"
#include "texts/template_functions.h"
#include "texts/text_reading.h"
#include "texts/white_space.h"

namespace lffn {
namespace {

using Kind = TemplateValue::Kind;

const std::string& need_text(const TemplateValue& value, const TemplateArguments& arguments) {
  if (!value.is(Kind::kText)) arguments.unsupported("an argument that is no text");
  return value.text();
}

int64_t most_of(const TemplateArguments& arguments, size_t place, const char* name) {
  const TemplateValue* const given = arguments.find(place, name);
  if (given == nullptr || given->is(Kind::kNone)) return -1;
  if (!given->is_number()) arguments.unsupported("a count that is no number");
  return given->number();
}

TemplateValue split_at_spaces(std::string_view text, int64_t most, TemplateBudget& budget) {
  TemplateValue::List parts;
  for (text = strip_start(text); !text.empty(); text = strip_start(text)) {
    size_t end = 0;
    if (most >= 0 && static_cast<int64_t>(parts.size()) == most) {
      end = strip_end(text).size();
    } else {
      while (end < text.size() && space_at(text.substr(end), false) == 0) next_character(text, end);
    }
    budget.spend(kItemBytes);
    parts.push_back(TemplateValue::text(std::string(text.substr(0, end))));
    text.remove_prefix(end);
    if (most >= 0 && static_cast<int64_t>(parts.size()) > most) break;
  }
  return TemplateValue::list(std::move(parts));
}

TemplateValue split(const std::string& text, const TemplateArguments& arguments, TemplateBudget& budget) {
  arguments.check(2, {"sep", "maxsplit"});
  const int64_t most = most_of(arguments, 1, "maxsplit");
  const TemplateValue* const given = arguments.find(0, "sep");
  if (given == nullptr || given->is(Kind::kNone)) return split_at_spaces(text, most, budget);
  const std::string& separator = need_text(*given, arguments);
  if (separator.empty()) arguments.unsupported("an empty separator");
  spend_search(text, separator, budget);
  TemplateValue::List parts;
  size_t begin = 0;
  for (;;) {
    const bool may_split = most < 0 || static_cast<int64_t>(parts.size()) < most;
    const size_t end = may_split ? text.find(separator, begin) : std::string::npos;
    budget.spend(kItemBytes);
    parts.push_back(TemplateValue::text(text.substr(begin, end == std::string::npos ? end : end - begin)));
    if (end == std::string::npos) return TemplateValue::list(std::move(parts));
    begin = end + separator.size();
  }
}

TemplateValue split_from_end(const std::string& text, const TemplateArguments& arguments, TemplateBudget& budget) {
  arguments.check(2, {"sep", "maxsplit"});
  const int64_t most = most_of(arguments, 1, "maxsplit");
  const TemplateValue* const given = arguments.find(0, "sep");
  if (given == nullptr || given->is(Kind::kNone)) arguments.unsupported("a call without a separator");
  const std::string& separator = need_text(*given, arguments);
  if (separator.empty()) arguments.unsupported("an empty separator");
  spend_search(text, separator, budget);
  TemplateValue::List parts;
  size_t end = text.size();
  for (;;) {
    const bool may_split = (most < 0 || static_cast<int64_t>(parts.size()) < most) && end >= separator.size();
    const size_t begin = may_split ? text.rfind(separator, end - separator.size()) : std::string::npos;
    budget.spend(kItemBytes);
    const size_t from = begin == std::string::npos ? 0 : begin + separator.size();
    parts.push_back(TemplateValue::text(text.substr(from, end - from)));
    if (begin == std::string::npos) break;
    end = begin;
  }
  std::reverse(parts.begin(), parts.end());
  return TemplateValue::list(std::move(parts));
}

// `part` may be a list of texts: any of them counts. Python knows no lists within lists here.
bool begins_or_ends(const std::string& text, const TemplateValue& part, bool start, const TemplateArguments& arguments,
                    TemplateBudget& budget) {
  const auto is_there = [&](const TemplateValue& each) {
    const std::string& wanted = need_text(each, arguments);
    budget.spend(1);
    if (wanted.size() > text.size()) return false;
    budget.spend(wanted.size());
    return text.compare(start ? 0 : text.size() - wanted.size(), wanted.size(), wanted) == 0;
  };
  if (!part.is(Kind::kList)) return is_there(part);
  return std::any_of(part.items().begin(), part.items().end(), is_there);
}

int64_t occurrences(const std::string& text, const std::string& part, const TemplateArguments& arguments) {
  if (part.empty()) arguments.unsupported("an empty text");
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

int64_t place_of(const std::string& text, size_t byte) {
  if (byte == std::string::npos) return -1;
  return std::count_if(text.begin(), text.begin() + static_cast<ptrdiff_t>(byte),
                       [](char c) { return !is_inside_character(c); });
}

std::string joined(const std::string& between, const TemplateArguments& arguments, TemplateBudget& budget) {
  arguments.check(1, {});
  std::string result;
  bool is_first = true;
  for (const TemplateValue& item : items_of(arguments.need(0, ""), budget)) {
    if (!is_first) result += between;
    is_first = false;
    result += need_text(item, arguments);
    budget.spend(between.size() + item.text().size());
  }
  return result;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char raised(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

// At the worst each place of the text is compared with all of the part, some 64 bytes at once.
void spend_search(const std::string& text, const std::string& part, TemplateBudget& budget) {
  constexpr size_t kMost = 1024, kAtOnce = 64;
  if (part.size() > kMost) fail(LFFN_ERROR_UNSUPPORTED, "to look for a text of more than %zu bytes", kMost);
  budget.spend(text.size() * (1 + part.size() / kAtOnce));
}

TemplateValue::List characters_of(const std::string& text, TemplateBudget& budget) {
  TemplateValue::List result;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    next_character(text, at);
    budget.spend(kItemBytes);
    result.push_back(TemplateValue::text(text.substr(begin, at - begin)));
  }
  return result;
}

std::string stripped(const std::string& text, const TemplateValue* characters, bool start, bool end,
                     TemplateBudget& budget) {
  std::string_view rest = text;
  if (characters == nullptr || characters->is(Kind::kNone)) {
    if (start) rest = strip_start(rest);
    return std::string(end ? strip_end(rest) : rest);
  }
  const std::string& given = characters->text();
  const auto is_given = [&](std::string_view character) {
    budget.spend(given.size());
    // No character's bytes begin within another's.
    return given.find(character) != std::string::npos;
  };
  while (start && !rest.empty()) {
    size_t size = 0;
    next_character(rest, size);
    if (!is_given(rest.substr(0, size))) break;
    rest.remove_prefix(size);
  }
  while (end && !rest.empty()) {
    const size_t begin = character_before(rest, rest.size());
    if (!is_given(rest.substr(begin))) break;
    rest = rest.substr(0, begin);
  }
  return std::string(rest);
}

std::string replaced(const std::string& text, const TemplateArguments& arguments, TemplateBudget& budget) {
  arguments.check(3, {"old", "new", "count"});
  const std::string old = text_of(arguments.need(0, "old"), budget), fresh = text_of(arguments.need(1, "new"), budget);
  int64_t most = most_of(arguments, 2, "count");
  if (old.empty()) arguments.unsupported("an empty text to replace");
  spend_search(text, old, budget);
  std::string result;
  size_t begin = 0;
  for (size_t at = text.find(old); at != std::string::npos && most != 0; at = text.find(old, begin)) {
    result.append(text, begin, at - begin).append(fresh);
    budget.spend(at - begin + fresh.size() + 1);
    begin = at + old.size();
    if (most > 0) --most;
  }
  return result.append(text, begin, std::string::npos);
}

std::string with_case(const std::string& text, char kind, bool is_filter, const TemplateArguments& arguments) {
  std::string result;
  if (kind == 'l') {
    lower(text, result);
    return result;
  }
  const bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!is_ascii) arguments.unsupported("a text with others than ASCII characters");
  bool begins = true;
  for (const char c : text) {
    const bool raises = kind == 'u' || (begins && kind != 'l');
    result += raises ? raised(c) : lowered(c);
    begins = kind == 't' &&
             (is_filter ? space_at({&c, 1}, false) > 0 || std::string_view("-({[<").find(c) != std::string_view::npos
                        : !is_letter(c));
  }
  return result;
}

bool call_text_method(std::string_view name, const std::string& text, const TemplateArguments& arguments,
                      TemplateBudget& budget, TemplateValue& result) {
  budget.spend(text.size());
  const auto argument = [&]() -> const std::string& {
    arguments.check(1, {});
    spend_search(text, need_text(arguments.need(0, ""), arguments), budget);
    return arguments.values[0].text();
  };
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    arguments.check(1, {});
    const TemplateValue* const characters = arguments.find(0, "");
    if (characters != nullptr && !characters->is(Kind::kNone)) need_text(*characters, arguments);
    result = TemplateValue::text(stripped(text, characters, name != "rstrip", name != "lstrip", budget));
  } else if (name == "startswith" || name == "endswith") {
    arguments.check(1, {});
    result =
        TemplateValue::boolean(begins_or_ends(text, arguments.need(0, ""), name == "startswith", arguments, budget));
  } else if (name == "split") {
    result = split(text, arguments, budget);
  } else if (name == "rsplit") {
    result = split_from_end(text, arguments, budget);
  } else if (name == "replace") {
    result = TemplateValue::text(replaced(text, arguments, budget));
  } else if (name == "lower" || name == "upper" || name == "capitalize" || name == "title") {
    arguments.check(0, {});
    result = TemplateValue::text(with_case(text, name[0], false, arguments));
  } else if (name == "join") {
    result = TemplateValue::text(joined(text, arguments, budget));
  } else if (name == "find") {
    result = TemplateValue::integer(place_of(text, text.find(argument())));
  } else if (name == "rfind") {
    result = TemplateValue::integer(place_of(text, text.rfind(argument())));
  } else if (name == "count") {
    result = TemplateValue::integer(occurrences(text, argument(), arguments));
  } else if (name == "removeprefix" || name == "removesuffix") {
    const std::string& part = argument();
    const bool start = name == "removeprefix";
    const bool is_there = begins_or_ends(text, arguments.values[0], start, arguments, budget);
    const size_t size = is_there ? part.size() : 0;
    result = TemplateValue::text(text.substr(start ? size : 0, text.size() - size));
  } else {
    return false;
  }
  return true;
}

}  // namespace lffn
