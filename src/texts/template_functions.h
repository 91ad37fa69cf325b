// SPDX-License-Identifier: Apache-2.0
// What chat templates may call: filters, tests, methods of texts and maps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "texts/template_value.h"

namespace lffn {

constexpr size_t kItemBytes = 128;  // what each value in a list spends, beside what it is made of

// What a rendering may still take, in bytes looked at or made. A template comes from outside: it must not go on without
// end nor fill the memory.
class TemplateBudget {
 public:
  explicit TemplateBudget(size_t bytes, const int32_t* cancel) : left_(bytes), cancel_(cancel) {}
  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where nothing is left, Error(LFFN_ERROR_CANCELLED).
  void spend(size_t bytes);

 private:
  size_t left_;
  const int32_t* cancel_;
};

// What a call is given beside its subject.
struct TemplateArguments {
  std::string callee;  // for messages: "the filter 'join'"
  TemplateValue::List values;
  TemplateValue::Map named;

  // nullptr: not given.
  const TemplateValue* find(size_t place, std::string_view name) const;
  const TemplateValue& need(size_t place, std::string_view name) const;
  // Throws Error(LFFN_ERROR_UNSUPPORTED) for more values than `most`, or a name that is not in `names`.
  void check(size_t most, std::initializer_list<std::string_view> names) const;
  [[noreturn]] void unsupported(const char* what) const;
};

bool is_template_filter(std::string_view name);
bool is_template_test(std::string_view name);
bool is_template_method(std::string_view name);

// All throw Error(LFFN_ERROR_UNSUPPORTED), or LFFN_ERROR_INVALID_ARGUMENT where the values do not fit.
TemplateValue filter_value(std::string_view name, const TemplateValue& value, const TemplateArguments& arguments,
                           TemplateBudget& budget);
bool test_value(std::string_view name, const TemplateValue& value, const TemplateArguments& arguments,
                TemplateBudget& budget);
TemplateValue call_method(std::string_view name, const TemplateValue& value, const TemplateArguments& arguments,
                          TemplateBudget& budget);

// The text that Python's str() makes of it.
std::string text_of(const TemplateValue& value, TemplateBudget& budget);
// The items that a `for` goes through.
TemplateValue::List items_of(const TemplateValue& value, TemplateBudget& budget);
int64_t length_of(const TemplateValue& value, TemplateBudget& budget);
// The item that brackets behind a value name; undefined where there is none.
TemplateValue item_of(const TemplateValue& value, const TemplateValue& which, TemplateBudget& budget);
// The same by a member's name.
TemplateValue member_of(const TemplateValue& value, std::string_view name, TemplateBudget& budget);
bool are_equal(const TemplateValue& a, const TemplateValue& b, TemplateBudget& budget);
bool is_within(const TemplateValue& item, const TemplateValue& whole, TemplateBudget& budget);
// a < b.
bool is_less(const TemplateValue& a, const TemplateValue& b, TemplateBudget& budget);

// Methods of texts, in template_texts.cc; false: there is no such method.
bool call_text_method(std::string_view name, const std::string& text, const TemplateArguments& arguments,
                      TemplateBudget& budget, TemplateValue& result);
TemplateValue::List characters_of(const std::string& text, TemplateBudget& budget);
std::string stripped(const std::string& text, const TemplateValue* characters, bool start, bool end,
                     TemplateBudget& budget);
// Spends what looking for the part in the text takes. Throws Error(LFFN_ERROR_UNSUPPORTED) for a part that is too long.
void spend_search(const std::string& text, const std::string& part, TemplateBudget& budget);
std::string replaced(const std::string& text, const TemplateArguments& arguments, TemplateBudget& budget);
// `kind` is 'l' for lower case, 'u' for upper case, 'c' for the first letter in upper case, 't' for the first letter of
// each word. Filters and methods find words in different ways.
std::string with_case(const std::string& text, char kind, bool is_filter, const TemplateArguments& arguments);

}  // namespace lffn
