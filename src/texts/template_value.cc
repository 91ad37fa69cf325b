// SPDX-License-Identifier: Apache-2.0
#include "texts/template_value.h"

#include <algorithm>
#include <cstdint>

#include "runtime/error.h"

namespace lffn {

TemplateValue TemplateValue::undefined(std::string name) {
  TemplateValue result;
  result.text_ = std::make_shared<const std::string>(std::move(name));
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
  result.weight_ += value.size();
  result.text_ = std::make_shared<const std::string>(std::move(value));
  return result;
}

// Sizes of what holds the value.
void TemplateValue::hold(const TemplateValue& value) {
  constexpr int32_t kMostDepth = 32;
  if (value.is(Kind::kNamespace)) fail(LFFN_ERROR_UNSUPPORTED, "a namespace in a list or in a namespace");
  if (value.depth_ >= kMostDepth) fail(LFFN_ERROR_UNSUPPORTED, "lists in lists, more than %d deep,", kMostDepth);
  depth_ = std::max(depth_, value.depth_ + 1);
  weight_ = value.weight_ < SIZE_MAX - weight_ ? weight_ + value.weight_ : SIZE_MAX;
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
  result.map_ = std::make_shared<Map>();
  for (auto& [name, value] : items) {
    result.hold(value);
    result.set_member(name, std::move(value));
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
      return !map_->empty();
    case Kind::kNamespace:
      return true;
    default:
      return false;
  }
}

const TemplateValue* TemplateValue::member(std::string_view name) const {
  for (const auto& [own, value] : *map_) {
    if (own == name) return &value;
  }
  return nullptr;
}

void TemplateValue::set_member(const std::string& name, TemplateValue value) const {
  TemplateValue().hold(value);
  for (auto& [own, old] : *map_) {
    if (own != name) continue;
    old = std::move(value);
    return;
  }
  map_->emplace_back(name, std::move(value));
}

bool TemplateValue::operator==(const TemplateValue& other) const {
  if (is_number() && other.is_number()) return number_ == other.number_;
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kText:
      return *text_ == *other.text_;
    case Kind::kList:
      return *list_ == *other.list_;
    case Kind::kMap:
      // In any order.
      return map_->size() == other.map_->size() && std::all_of(map_->begin(), map_->end(), [&](const auto& item) {
               const TemplateValue* const same = other.member(item.first);
               return same != nullptr && *same == item.second;
             });
    case Kind::kNamespace:
      return map_ == other.map_;
    default:
      return true;
  }
}

const char* TemplateValue::kind_name() const {
  constexpr const char* kNames[] = {"nothing", "none",   "a truth value", "a number",
                                    "a text",  "a list", "a map",         "a namespace"};
  return kNames[static_cast<size_t>(kind_)];
}

}  // namespace lffn
