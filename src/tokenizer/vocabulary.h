// SPDX-License-Identifier: Apache-2.0
// Tokens and their ids, both ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lffn {

class Vocabulary {
 public:
  // No token and no id may be there twice: Error(LFFN_ERROR_BAD_MODEL), which begins with `where`.
  Vocabulary(std::vector<std::pair<std::string, int32_t>>&& tokens, const std::string& where);

  int32_t end() const { return static_cast<int32_t>(place_of_id_.size()); }  // the largest id + 1

  int32_t find(std::string_view token) const;  // -1: none
  bool has(int32_t id) const { return id >= 0 && id < end() && place_of_id_[static_cast<size_t>(id)] != kNowhere; }
  const std::string& text(int32_t id) const { return tokens_[place_of_id_[static_cast<size_t>(id)]].first; }

  // Sorted by their bytes: no hash table that hostile tokens could choke.
  const std::vector<std::pair<std::string, int32_t>>& tokens() const { return tokens_; }
  std::vector<std::pair<std::string, int32_t>> by_id() const;

 private:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  std::vector<std::pair<std::string, int32_t>> tokens_;
  std::vector<uint32_t> place_of_id_;
};

}  // namespace lffn
