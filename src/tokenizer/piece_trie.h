// SPDX-License-Identifier: Apache-2.0
// All texts of a large vocabulary that another text starts with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace lffn {

class PieceTrie {
 public:
  // The vocabulary must outlive it. Texts of no bytes are left out.
  explicit PieceTrie(const Vocabulary& vocabulary);

  size_t bytes() const {
    return sizeof root_ + bytes_.capacity() + (firsts_.capacity() + values_.capacity()) * sizeof(uint32_t) +
           sets_of_.capacity() * sizeof(uint16_t) + sets_.capacity() * sizeof(Set);
  }

  // found(size, id) for each text that this one starts with, the shortest first.
  template <typename Found>
  void for_starts(std::string_view text, const Found& found) const {
    if (text.empty()) return;
    uint32_t node = root_[static_cast<unsigned char>(text[0])];
    for (size_t size = 1; node != kNone; ++size) {
      const uint32_t value = values_[node];
      if ((value & kTail) != 0) {
        // Only one text goes on from here: its bytes are in the vocabulary.
        const std::string_view whole = vocabulary_.text(static_cast<int32_t>(value & ~kTail));
        const std::string_view rest = whole.substr(size);
        if (text.substr(size, rest.size()) == rest) found(whole.size(), static_cast<int32_t>(value & ~kTail));
        return;
      }
      if (value != kNone) found(size, static_cast<int32_t>(value));
      if (size == text.size()) return;
      node = child(node, static_cast<uint8_t>(text[size]));
    }
  }

 private:
  static constexpr uint32_t kNone = 0x7FFFFFFF;
  static constexpr uint32_t kTail = 0x80000000;
  static constexpr uint32_t kFew = 8;             // children that are searched
  static constexpr uint32_t kWithSets = 1 << 16;  // nodes; the levels near the root, where most have many children

  // For each byte one more than the place of the child that begins with it; 0: none does.
  struct Set {
    uint8_t places[256];
  };

  void add_sets();

  uint32_t child(uint32_t node, uint8_t byte) const {
    uint32_t first = firsts_[node], count = firsts_[node + 1] - first;
    if (count > kFew && count < 256 && node < sets_of_.size()) {
      const uint32_t place = sets_[sets_of_[node]].places[byte];
      return place == 0 ? kNone : first + place - 1;
    }
    // Halves without branches that the processor would have to guess.
    while (count > 1) {
      const uint32_t half = count / 2;
      first = bytes_[first + half] <= byte ? first + half : first;
      count -= half;
    }
    return count == 1 && bytes_[first] == byte ? first : kNone;
  }

  const Vocabulary& vocabulary_;
  uint32_t root_[256];
  // Of each node; children of one lie side by side, by their bytes, in the order of their parents.
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> firsts_;  // child; and where the last one's would be
  std::vector<uint32_t> values_;  // an id, kNone, or an id | kTail
  std::vector<uint16_t> sets_of_;
  std::vector<Set> sets_;
};

}  // namespace lffn
