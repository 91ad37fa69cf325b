// SPDX-License-Identifier: Apache-2.0
// Pairs of neighbouring symbols become one, those of the first rank first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/seeded_hash.h"

namespace lffn {

// A symbol is a number below 2^32 - 1 that stands for a string of bytes.
struct Merge {
  uint32_t left;
  uint32_t right;
  uint32_t merged;
};

// A symbol of a piece, and where it begins.
struct Symbol {
  uint32_t symbol;
  uint32_t begin;
};

// Merges the symbols of a piece of text.
class Merger {
 public:
  // Merges by falling rank: the first goes before all others.
  explicit Merger(std::vector<Merge> merges);

  const std::vector<Merge>& merges() const { return merges_; }
  // The first merge whose pair an earlier one has. If there is one, merge() must not be called.
  std::optional<size_t> twice() const { return twice_; }
  size_t bytes() const { return merges_.capacity() * sizeof(Merge) + slots_.capacity() * sizeof(Slot); }

  // Merges the pair of the first rank, the leftmost among equals, then looks again, until no pair is left; each symbol
  // that is left begins where the first one in it did. n symbols take n log n time and mostly at most 25 n bytes; for
  // many it looks at `cancel` now and then, as poll() does. Thread-safe.
  void merge(std::vector<Symbol>& symbols, const int32_t* cancel = nullptr) const;

  // The two ways that merge() has for few and for many symbols; their results are the same.
  void merge_short(std::vector<Symbol>& symbols) const;  // at most kShort
  void merge_long(std::vector<Symbol>& symbols, const int32_t* cancel = nullptr) const;
  static constexpr size_t kShort = 48;

 private:
  struct Slot {
    uint32_t left;
    uint32_t right;
    uint32_t rank;
  };

  uint32_t rank(uint32_t left, uint32_t right) const;
  size_t first_place(uint32_t left, uint32_t right) const;
  size_t place(uint32_t left, uint32_t right) const;

  std::vector<Merge> merges_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  SeededHash hash_;
  std::optional<size_t> twice_;
};

}  // namespace lffn
