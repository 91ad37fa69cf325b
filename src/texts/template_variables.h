// SPDX-License-Identifier: Apache-2.0
// What a chat template has set, block within block. To set or to find a name takes as long as the name is, however many
// there are.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/seeded_hash.h"
#include "texts/template_value.h"

namespace lffn {

class TemplateVariables {
 public:
  TemplateVariables() = default;
  TemplateVariables(TemplateVariables&&) = default;  // `set_` points into `values_`, which stay where they are
  TemplateVariables& operator=(TemplateVariables&&) = default;

  // nullptr: none of that name is set.
  const TemplateValue* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() || found->second.empty() ? nullptr : &found->second.back().value;
  }

  // Sets a name in the innermost block. The name's bytes must outlive this.
  void set(std::string_view name, TemplateValue value) {
    std::vector<Value>& own = values_[name];
    if (!own.empty() && own.back().place >= block_) {
      own.back().value = std::move(value);
      return;
    }
    own.push_back({set_.size(), std::move(value)});
    set_.push_back(&own);
  }

  // What is set from here on is unset by unset_block(). Returns the block around, for end_block().
  size_t begin_block() { return std::exchange(block_, set_.size()); }
  void unset_block() {
    for (; set_.size() > block_; set_.pop_back()) set_.back()->pop_back();
  }
  void end_block(size_t around) {
    unset_block();
    block_ = around;
  }

 private:
  struct Value {
    size_t place;  // in `set_`
    TemplateValue value;
  };
  std::unordered_map<std::string_view, std::vector<Value>, SeededHash> values_;  // of each name, inner blocks last
  std::vector<std::vector<Value>*> set_;                                         // in the order of setting
  size_t block_ = 0;                                                             // the first one of the innermost block
};

}  // namespace lffn
