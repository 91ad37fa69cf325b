// SPDX-License-Identifier: Apache-2.0
// What chat templates do with values of any kind, and the arguments of their calls.
#include <algorithm>

#include "format/characters.h"
#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "texts/template_functions.h"
#include "texts/template_members.h"

namespace lffn {
namespace {

using Kind = TemplateValue::Kind;

[[noreturn]] void refuse(const char* what, const TemplateValue& value) {
  if (value.is(Kind::kUndefined)) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s %s, which is not defined", what, in_quotes(value.text()).c_str());
  }
  fail(LFFN_ERROR_INVALID_ARGUMENT, "%s %s", what, value.kind_name());
}

// The place of an item among so many, where a negative `at` counts from the end; -1: out of range.
int64_t place_within(int64_t at, int64_t count) {
  if (at < 0) at += count;
  return at >= 0 && at < count ? at : -1;
}

}  // namespace

void TemplateBudget::spend(size_t bytes) {
  if (bytes > left_) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "it takes too long, or makes too much of these texts");
  }
  left_ -= bytes;
  poll(cancel_);
}

const TemplateValue* TemplateArguments::find(size_t place, std::string_view name) const {
  if (place < values.size()) return &values[place];
  for (const auto& [own, value] : named) {
    if (own == name) return &value;
  }
  return nullptr;
}

const TemplateValue& TemplateArguments::need(size_t place, std::string_view name) const {
  const TemplateValue* const found = find(place, name);
  if (found == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s lacks an argument", callee.c_str());
  return *found;
}

void TemplateArguments::check(size_t most, std::initializer_list<std::string_view> names) const {
  if (values.size() > most) unsupported("so many arguments");
  for (const auto& [name, value] : named) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    unsupported(("the argument " + in_quotes(name)).c_str());
  }
}

void TemplateArguments::unsupported(const char* what) const {
  fail(LFFN_ERROR_UNSUPPORTED, "%s with %s is not supported", callee.c_str(), what);
}

std::string text_of(const TemplateValue& value, TemplateBudget& budget) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return {};
    case Kind::kNone:
      return "None";
    case Kind::kBoolean:
      return value.number() != 0 ? "True" : "False";
    case Kind::kInteger:
      return std::to_string(value.number());
    case Kind::kText:
      budget.spend(value.text().size());
      return value.text();
    default:
      fail(LFFN_ERROR_UNSUPPORTED, "to show %s is not supported", value.kind_name());
  }
}

TemplateValue::List items_of(const TemplateValue& value, TemplateBudget& budget) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return {};
    case Kind::kText:
      return characters_of(value.text(), budget);
    case Kind::kList:
      budget.spend(kItemBytes * value.items().size());
      value.use();
      return value.items();
    case Kind::kMap: {
      TemplateValue::List names;
      for (const auto& [name, item] : value.members()) {
        budget.spend(kItemBytes + name.size());
        names.push_back(TemplateValue::text(name));
      }
      return names;
    }
    default:
      refuse("there are no parts of", value);
  }
}

int64_t length_of(const TemplateValue& value, TemplateBudget& budget) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kText:
      budget.spend(value.text().size());
      return static_cast<int64_t>(count_characters(value.text()));
    case Kind::kMap:
      return static_cast<int64_t>(value.members().size());
    case Kind::kList:
      if (!value.is_stream()) return static_cast<int64_t>(value.items().size());
      [[fallthrough]];
    default:
      refuse("there is no length of", value);
  }
}

TemplateValue item_of(const TemplateValue& value, const TemplateValue& which, TemplateBudget& budget) {
  if (which.is(Kind::kText)) return member_of(value, which.text(), budget);
  if (value.is(Kind::kUndefined)) refuse("there are no parts of", value);
  const auto missing = [] { return TemplateValue::undefined("an item"); };
  if (!which.is_number() || value.is_stream()) return missing();
  if (value.is(Kind::kList)) {
    const int64_t at = place_within(which.number(), static_cast<int64_t>(value.items().size()));
    return at < 0 ? missing() : value.items()[static_cast<size_t>(at)];
  }
  if (!value.is(Kind::kText)) return missing();
  const std::string& text = value.text();
  budget.spend(text.size());
  const int64_t at = place_within(which.number(), static_cast<int64_t>(count_characters(text)));
  if (at < 0) return missing();
  const size_t begin = first_characters(text, static_cast<size_t>(at)).size();
  size_t end = begin;
  next_character(text, end);
  return TemplateValue::text(text.substr(begin, end - begin));
}

TemplateValue member_of(const TemplateValue& value, std::string_view name, TemplateBudget& budget) {
  if (value.is(Kind::kUndefined)) refuse("there are no parts of", value);
  if (!value.is(Kind::kMap) && !value.is(Kind::kNamespace)) return TemplateValue::undefined(name);
  budget.spend(name.size());
  const TemplateValue* const found = value.members().find(name);
  return found != nullptr ? *found : TemplateValue::undefined(name);
}

// A list may hold the same list many times, so that few bytes are a huge tree: each part spends.
bool are_equal(const TemplateValue& a, const TemplateValue& b, TemplateBudget& budget) {
  budget.spend(1);
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kText:
      if (a.text().size() != b.text().size()) return false;
      budget.spend(a.text().size());
      return a.text() == b.text();
    case Kind::kList:
      return a.items().size() == b.items().size() &&
             std::equal(a.items().begin(), a.items().end(), b.items().begin(),
                        [&](const TemplateValue& x, const TemplateValue& y) { return are_equal(x, y, budget); });
    case Kind::kMap:
      // The order does not matter.
      return a.members().size() == b.members().size() &&
             std::all_of(a.members().begin(), a.members().end(), [&](const auto& item) {
               budget.spend(item.first.size());
               const TemplateValue* const same = b.members().find(item.first);
               return same != nullptr && are_equal(*same, item.second, budget);
             });
    case Kind::kNamespace:
      return &a.members() == &b.members();
    default:
      return true;
  }
}

bool is_within(const TemplateValue& item, const TemplateValue& whole, TemplateBudget& budget) {
  switch (whole.kind()) {
    case Kind::kUndefined:
      return false;
    case Kind::kText:
      if (!item.is(Kind::kText)) refuse("a text cannot hold", item);
      spend_search(whole.text(), item.text(), budget);
      return whole.text().find(item.text()) != std::string::npos;
    case Kind::kList:
      whole.use();
      return std::any_of(whole.items().begin(), whole.items().end(),
                         [&](const TemplateValue& each) { return are_equal(item, each, budget); });
    case Kind::kMap:
      if (!item.is(Kind::kText)) return false;
      budget.spend(item.text().size());
      return whole.members().find(item.text()) != nullptr;
    default:
      refuse("there is nothing in", whole);
  }
}

bool is_less(const TemplateValue& a, const TemplateValue& b, TemplateBudget& budget) {
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  if (!a.is(Kind::kText)) refuse("there is no order of", a);
  if (!b.is(Kind::kText)) refuse("there is no order of", b);
  budget.spend(std::min(a.text().size(), b.text().size()));
  return a.text() < b.text();  // by bytes: the order of characters, too
}

}  // namespace lffn
