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
  enum class Twice { kRefused, kLastCounts };
  // No id may be there twice, and a token only where the last one shall be found: Error(LFFN_ERROR_BAD_MODEL), which
  // begins with `where`.
  Vocabulary(std::vector<std::pair<std::string, int32_t>>&& tokens, Twice twice, const std::string& where);

  int32_t end() const { return static_cast<int32_t>(begins_.size() - 1); }  // the largest id + 1

  int32_t find(std::string_view token) const;  // -1: none
  bool has(int32_t id) const { return id >= 0 && id < end() && place(id) < place(id + 1); }
  // Of an id that is there; a zero byte follows.
  std::string_view text(int32_t id) const {
    return {bytes_.data() + place(id), static_cast<size_t>(place(id + 1) - place(id) - 1)};
  }

  size_t bytes() const { return bytes_.capacity() + (begins_.capacity() + sorted_.capacity()) * sizeof(uint32_t); }

  // The ids in the order of their tokens' bytes: no hash table that hostile tokens could choke. Without those that
  // find() does not find.
  const std::vector<uint32_t>& sorted() const { return sorted_; }
  std::vector<std::pair<std::string_view, int32_t>> sorted_tokens() const;
  std::vector<std::pair<std::string, int32_t>> by_id() const;

 private:
  uint32_t place(int32_t id) const { return begins_[static_cast<size_t>(id)]; }

  std::string bytes_;             // of all tokens by their ids, each ended by a zero byte
  std::vector<uint32_t> begins_;  // of each id; the same as the next one's: there is none
  std::vector<uint32_t> sorted_;
};

}  // namespace lffn
