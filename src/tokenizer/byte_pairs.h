// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE: the bytes of a piece of text are merged, pair by pair, into the tokens of a vocabulary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/seeded_hash.h"
#include "tokenizer/vocabulary.h"

namespace lffn {

// A symbol is a number below 2^32 - 1 that stands for a string of bytes.
struct Merge {
  uint32_t left;
  uint32_t right;
  uint32_t merged;
};

// What is left of a piece: symbols and where each begins.
struct Symbol {
  uint32_t symbol;
  uint32_t begin;
};

// Merges the bytes of a piece of text into the symbols of a vocabulary.
class Merger {
 public:
  // Merges by falling rank: the first goes before all others.
  Merger(const std::array<uint32_t, 256>& byte_symbols, std::vector<Merge> merges);

  const std::vector<Merge>& merges() const { return merges_; }
  // The first merge whose pair was there before; it must not be used then.
  std::optional<size_t> twice() const { return twice_; }
  size_t bytes() const { return merges_.capacity() * sizeof(Merge) + slots_.capacity() * sizeof(Slot); }

  // Merges the pair of the first rank, the leftmost among equals, then looks again, until no pair is left. Pieces of n
  // bytes take n log n time and mostly at most 25 n bytes; long ones look at `cancel` now and then, as poll() does.
  // Thread-safe.
  void merge(std::string_view piece, std::vector<Symbol>& symbols, const int32_t* cancel = nullptr) const;

  // The two ways that merge() has for short and for long pieces; their results are the same.
  void merge_short(std::string_view piece, std::vector<Symbol>& symbols) const;  // at most kShort bytes
  void merge_long(std::string_view piece, std::vector<Symbol>& symbols, const int32_t* cancel = nullptr) const;
  static constexpr size_t kShort = 48;

 private:
  struct Slot {
    uint32_t left;
    uint32_t right;
    uint32_t rank;
  };

  uint32_t rank(uint32_t left, uint32_t right) const;
  size_t place(uint32_t left, uint32_t right) const;

  std::array<uint32_t, 256> byte_symbols_;
  std::vector<Merge> merges_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  SeededHash hash_;
  std::optional<size_t> twice_;
};

class BytePairs {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;

  struct Scratch {
    std::vector<Symbol> symbols;
    std::string known;  // the bytes that have symbols
  };

  // The merges by falling rank, in the byte alphabet. `unknown_id` is -1 if bytes without a token shall vanish. Throws
  // Error(LFFN_ERROR_BAD_MODEL), which begins with `where`.
  BytePairs(const Vocabulary& vocabulary, const Texts& merges, int32_t unknown_id, const std::string& where);

  // add(id, begin, end, token) for each token of the piece, with its bytes, which are none for the unknown one. Where
  // bytes vanish, what follows counts as if it stood earlier. Takes n log n time for n bytes.
  template <typename Add>
  void split(std::string_view piece, Scratch& scratch, const int32_t* cancel, const Add& add) const {
    if (loses_bytes_) piece = without_lost_bytes(piece, scratch.known);
    if (piece.empty()) return;
    merger_->merge(piece, scratch.symbols, cancel);
    for (size_t i = 0; i < scratch.symbols.size(); ++i) {
      const size_t begin = scratch.symbols[i].begin;
      const size_t end = i + 1 < scratch.symbols.size() ? scratch.symbols[i + 1].begin : piece.size();
      const bool known = scratch.symbols[i].symbol < num_known_;
      const int32_t id = known ? static_cast<int32_t>(scratch.symbols[i].symbol) : unknown_id_;
      if (id >= 0) add(id, begin, end, known ? piece.substr(begin, end - begin) : std::string_view());
    }
  }

  // Can every piece be cut into tokens that are all of its bytes?
  bool knows_all_bytes() const { return outside_.empty(); }

  Texts merges(const Vocabulary& vocabulary) const;
  size_t bytes() const;

 private:
  std::string_view without_lost_bytes(std::string_view piece, std::string& kept) const;

  uint32_t num_known_;                // below: symbols that are ids
  std::vector<std::string> outside_;  // symbols outside the vocabulary
  std::optional<Merger> merger_;
  int32_t unknown_id_;
  bool loses_bytes_ = false;
  bool is_lost_[256] = {};
};

// Tokens in files are written with one printable character for each byte: a space is U+0120.

// Appends the character that stands for the byte, as UTF-8.
void append_byte_character(std::string& text, uint8_t byte);

// Appends the bytes that a token stands for. Characters that stand for no byte are taken as they are, and false is
// returned if there are such. The token must be UTF-8.
bool append_token_bytes(std::string& bytes, std::string_view token);

}  // namespace lffn
