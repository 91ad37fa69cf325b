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
  // Throws Error(LFFN_ERROR_BAD_MODEL), which begins with `where`, for an id that is there twice, and, unless the last
  // one counts, for a token that is there twice.
  Vocabulary(std::vector<std::pair<std::string, int32_t>>&& tokens, Twice twice, const std::string& where);

  int32_t end() const { return static_cast<int32_t>(begins_.size() - 1); }  // the largest id + 1

  int32_t find(std::string_view token) const;  // -1: none
  bool has(int32_t id) const { return id >= 0 && id < end() && place(id) < place(id + 1); }
  // The token of an id that is there; a zero byte follows it.
  std::string_view text(int32_t id) const {
    return {bytes_.data() + place(id), static_cast<size_t>(place(id + 1) - place(id) - 1)};
  }

  size_t bytes() const { return bytes_.capacity() + (begins_.capacity() + sorted_.capacity()) * sizeof(uint32_t); }

  // The ids in the order of their tokens' bytes: unlike a hash table, hostile tokens cannot slow it down. Ids that
  // find() does not find are left out.
  const std::vector<uint32_t>& sorted() const { return sorted_; }
  std::vector<std::pair<std::string_view, int32_t>> sorted_tokens() const;
  std::vector<std::pair<std::string, int32_t>> by_id() const;

 private:
  uint32_t place(int32_t id) const { return begins_[static_cast<size_t>(id)]; }

  std::string bytes_;             // of all tokens by their ids, each ended by a zero byte
  std::vector<uint32_t> begins_;  // of each id; where it equals the next one's, there is no such id
  std::vector<uint32_t> sorted_;
};

// Finds the longest of many texts that another one starts with.
class TextTrie {
 public:
  struct Match {
    size_t size;  // bytes; 0: none
    int32_t value;
  };

  TextTrie() : TextTrie(std::vector<std::pair<std::string_view, int32_t>>()) {}
  // The texts must be sorted by their bytes, without duplicates; their values must not be negative.
  explicit TextTrie(const std::vector<std::pair<std::string_view, int32_t>>& sorted);

  size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

  // The node behind `prefix`, from which texts that begin with it go on; kNone if there are none.
  uint32_t start_behind(std::string_view prefix) const;
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = UINT32_MAX;

  // The longest match from the start of the text, counted from `start`. Never the empty text.
  Match longest(uint32_t start, std::string_view text) const {
    Match best = {0, -1};
    uint32_t node = start;
    for (size_t size = 0; size < text.size();) {
      node = child(node, static_cast<uint8_t>(text[size]));
      if (node == kNone) break;
      ++size;
      if (nodes_[node].value >= 0) best = {size, nodes_[node].value};
    }
    return best;
  }

 private:
  struct Node {
    uint32_t first_child;
    int32_t value;      // -1: no text ends here
    uint16_t children;  // side by side, by their bytes
    uint8_t byte;
  };

  uint32_t child(uint32_t node, uint8_t byte) const {
    const Node* first = nodes_.data() + nodes_[node].first_child;
    size_t count = nodes_[node].children;
    while (count > 0) {
      const size_t half = count / 2;
      if (first[half].byte == byte) return static_cast<uint32_t>(first + half - nodes_.data());
      if (first[half].byte < byte) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return kNone;
  }

  std::vector<Node> nodes_;
};

}  // namespace lffn
