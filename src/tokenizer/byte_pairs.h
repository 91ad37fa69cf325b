// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE: the bytes of a piece of text are merged, pair by pair, into the tokens of a vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/merger.h"
#include "tokenizer/vocabulary.h"

namespace lffn {

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
