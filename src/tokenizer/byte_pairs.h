// SPDX-License-Identifier: Apache-2.0
// BPE: the bytes or the characters of a piece of text are merged, pair by pair, into the tokens of a vocabulary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "runtime/seeded_hash.h"
#include "tokenizer/merge_texts.h"
#include "tokenizer/merger.h"
#include "tokenizer/vocabulary.h"

namespace lffn {

class BytePairs {
 public:
  struct Settings {
    bool by_bytes = true;  // the vocabulary is written in the byte alphabet, and pieces are bytes; else characters
    bool byte_fallback = false;  // what has no token becomes the tokens "<0x00>" to "<0xFF>" of its bytes
    bool fuse_unknown = false;   // unknowns side by side become one token
    bool ignore_merges = false;  // a piece that is a token needs no merges
    std::string end_of_word;     // the last character of a piece is written with it
  };

  struct Scratch {
    std::vector<Symbol> symbols;
    std::string text;
  };

  // The merges by falling rank. `unknown_id` is -1 if what has no token is to be dropped. Throws
  // Error(LFFN_ERROR_BAD_MODEL), which begins with `where`. The vocabulary must outlive it.
  BytePairs(const Vocabulary& vocabulary, const MergeTexts& merges, const Settings& settings, int32_t unknown_id,
            const std::string& where);

  const Settings& settings() const { return settings_; }

  // Calls add(id, begin, end) for each token of the piece, which must be UTF-8 unless Settings::by_bytes is set. Where
  // something is dropped, the offsets of all that follows are smaller by as much. Takes n log n time for n bytes.
  template <typename Add>
  void split(std::string_view piece, Scratch& scratch, const int32_t* cancel, const Add& add) const {
    if (settings_.ignore_merges) {
      const int32_t whole = id_of_whole(piece, scratch.text);
      if (whole >= 0) return add(whole, size_t{0}, piece.size());
    }
    std::vector<Symbol>& symbols = scratch.symbols;
    const size_t all = settings_.by_bytes ? read_bytes(piece, symbols) : read_characters(piece, symbols, cancel);
    merger_->merge(symbols, cancel);
    for (size_t i = 0; i < symbols.size(); ++i) {
      const size_t end = i + 1 < symbols.size() ? symbols[i + 1].begin : all;
      const int32_t id = symbols[i].symbol < num_known_ ? static_cast<int32_t>(symbols[i].symbol) : unknown_id_;
      if (id >= 0) add(id, size_t{symbols[i].begin}, end);
    }
  }

  // Whether every piece can be cut into tokens that cover all of its bytes.
  bool knows_all_bytes() const { return knows_all_bytes_; }
  // The next place behind `at` where the piece can be cut without changing its tokens: before a sign for blanks that no
  // merge joins to what precedes it. The piece's end if there is none.
  size_t next_cut(std::string_view piece, size_t at) const;

  MergeTexts merges() const;
  size_t bytes() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void keep_together(std::string_view left);
  int32_t id_of_whole(std::string_view piece, std::string& text) const;
  size_t read_bytes(std::string_view piece, std::vector<Symbol>& symbols) const;
  size_t read_characters(std::string_view piece, std::vector<Symbol>& symbols, const int32_t* cancel) const;
  std::string_view text_of(uint32_t symbol) const;
  uint32_t symbol_of(uint32_t code_point, bool is_last) const;

  const Vocabulary& vocabulary_;
  Settings settings_;
  uint32_t num_known_;                // symbols below it are ids
  std::vector<std::string> outside_;  // symbols outside the vocabulary
  std::optional<Merger> merger_;
  int32_t unknown_id_;
  bool knows_all_bytes_ = false;
  bool cuts_ = false;                            // whether pieces can be cut before signs for blanks
  std::string behind_;                           // but not behind these characters
  std::array<uint32_t, 256> byte_symbols_;       // kNone: no token
  std::array<uint32_t, 256> last_byte_symbols_;  // of a piece's last byte
  std::array<uint32_t, 256> fallback_;           // the tokens of bytes
  // A hash table of characters, at most half full; those that end a piece have the highest bit set.
  struct Slot {
    uint32_t character;
    uint32_t symbol;  // kNone: free
  };
  static constexpr uint32_t kLast = 1u << 31;
  std::vector<Slot> characters_;
  SeededHash hash_;
};

}  // namespace lffn
