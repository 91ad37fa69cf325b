// SPDX-License-Identifier: Apache-2.0
// WordPiece: a word is cut from left to right, each time into the longest token that fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace lffn {

struct WordPiece {
  int32_t id;
  size_t begin;  // bytes of the word
  size_t end;
};

class WordPieces {
 public:
  struct Settings {
    std::string prefix = "##";  // of the tokens that continue a word
    size_t longest_word = 100;  // characters; longer ones are unknown
  };

  WordPieces(const Vocabulary& vocabulary, Settings settings, int32_t unknown_id);

  const Settings& settings() const { return settings_; }
  size_t bytes() const { return trie_.bytes(); }

  // Replaces `pieces` by the tokens of the word, which must be UTF-8. A word that cannot be made of tokens is one
  // unknown token. Throws Error(LFFN_ERROR_CANCELLED) if the flag is set; it may be nullptr.
  void split(std::string_view word, std::vector<WordPiece>& pieces, const int32_t* cancel) const;

 private:
  Settings settings_;
  TextTrie trie_;
  uint32_t inside_;  // where tokens inside a word start
  int32_t unknown_id_;
};

}  // namespace lffn
