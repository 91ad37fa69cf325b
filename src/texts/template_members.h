// SPDX-License-Identifier: Apache-2.0
// The members of a chat template's map or namespace, in the order of insertion.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/seeded_hash.h"
#include "texts/template_value.h"

namespace lffn {

class TemplateMembers {
 public:
  using Items = std::deque<std::pair<std::string, TemplateValue>>;

  size_t size() const { return items_.size(); }
  Items::const_iterator begin() const { return items_.begin(); }
  Items::const_iterator end() const { return items_.end(); }

  // nullptr: there is none of that name. Takes no longer than the name is, however many there are.
  const TemplateValue* find(std::string_view name) const;
  // A member that is there keeps its place.
  void set(std::string_view name, TemplateValue value);

 private:
  static constexpr size_t kFew = 8;  // so many are compared one by one

  // size() if there is none.
  size_t place_of(std::string_view name) const;

  Items items_;                                                      // never moved
  std::unordered_map<std::string_view, size_t, SeededHash> places_;  // once there are more than a few
};

inline size_t TemplateMembers::place_of(std::string_view name) const {
  if (!places_.empty()) {
    const auto found = places_.find(name);
    return found != places_.end() ? found->second : items_.size();
  }
  size_t place = 0;
  while (place < items_.size() && items_[place].first != name) ++place;
  return place;
}

inline const TemplateValue* TemplateMembers::find(std::string_view name) const {
  const size_t place = place_of(name);
  return place < items_.size() ? &items_[place].second : nullptr;
}

inline void TemplateMembers::set(std::string_view name, TemplateValue value) {
  if (const size_t place = place_of(name); place < items_.size()) {
    items_[place].second = std::move(value);
    return;
  }
  items_.emplace_back(name, std::move(value));
  if (items_.size() <= kFew) return;
  for (size_t i = places_.size(); i < items_.size(); ++i) places_.emplace(items_[i].first, i);
}

}  // namespace lffn
