// SPDX-License-Identifier: Apache-2.0
#include "texts/template_value.h"

#include <algorithm>

#include "runtime/error.h"
#include "texts/template_members.h"

namespace lffn {

TemplateValue TemplateValue::undefined(std::string_view name) {
  constexpr size_t kShown = 96;
  TemplateValue result;
  result.text_ = std::make_shared<const std::string>(name.substr(0, kShown));
  return result;
}

TemplateValue TemplateValue::none() {
  TemplateValue result;
  result.kind_ = Kind::kNone;
  return result;
}

TemplateValue TemplateValue::boolean(bool value) {
  TemplateValue result;
  result.kind_ = Kind::kBoolean;
  result.number_ = value ? 1 : 0;
  return result;
}

TemplateValue TemplateValue::integer(int64_t value) {
  TemplateValue result;
  result.kind_ = Kind::kInteger;
  result.number_ = value;
  return result;
}

TemplateValue TemplateValue::text(std::string value) {
  TemplateValue result;
  result.kind_ = Kind::kText;
  result.text_ = std::make_shared<const std::string>(std::move(value));
  return result;
}

// Counts how deep this value is once it holds the other.
void TemplateValue::hold(const TemplateValue& value) {
  constexpr int32_t kMostDepth = 32;
  if (value.is(Kind::kNamespace)) fail(LFFN_ERROR_UNSUPPORTED, "a namespace in a list or in a namespace");
  if (value.depth_ >= kMostDepth) fail(LFFN_ERROR_UNSUPPORTED, "lists in lists, more than %d deep,", kMostDepth);
  depth_ = std::max(depth_, value.depth_ + 1);
}

TemplateValue TemplateValue::list(List items) {
  TemplateValue result;
  result.kind_ = Kind::kList;
  for (const TemplateValue& item : items) result.hold(item);
  result.list_ = std::make_shared<const List>(std::move(items));
  return result;
}

TemplateValue TemplateValue::stream(List items) {
  TemplateValue result = list(std::move(items));
  result.stream_ = std::make_shared<bool>(false);
  return result;
}

void TemplateValue::use() const {
  if (stream_ == nullptr) return;
  if (*stream_) fail(LFFN_ERROR_UNSUPPORTED, "a second use of what a filter gave, without '| list',");
  *stream_ = true;
}

TemplateValue TemplateValue::map(Map items) {
  TemplateValue result;
  result.kind_ = Kind::kMap;
  result.map_ = std::make_shared<TemplateMembers>();
  for (auto& [name, value] : items) {
    result.hold(value);
    result.map_->set(name, std::move(value));
  }
  return result;
}

TemplateValue TemplateValue::name_space(Map items) {
  TemplateValue result = map(std::move(items));
  result.kind_ = Kind::kNamespace;
  return result;
}

bool TemplateValue::is_true() const {
  switch (kind_) {
    case Kind::kBoolean:
    case Kind::kInteger:
      return number_ != 0;
    case Kind::kText:
      return !text_->empty();
    case Kind::kList:
      return is_stream() || !list_->empty();
    case Kind::kMap:
      return map_->size() > 0;
    case Kind::kNamespace:
      return true;
    default:
      return false;
  }
}

void TemplateValue::set_member(std::string_view name, TemplateValue value) const {
  TemplateValue().hold(value);
  map_->set(name, std::move(value));
}

const char* TemplateValue::kind_name() const {
  constexpr const char* kNames[] = {"nothing", "none",   "a truth value", "a number",
                                    "a text",  "a list", "a map",         "a namespace"};
  return kNames[static_cast<size_t>(kind_)];
}

}  // namespace lffn
