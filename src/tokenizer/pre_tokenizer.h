// SPDX-License-Identifier: Apache-2.0
// Cuts text into pieces, each of which is made into tokens by itself. All texts must be UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tokenizer/unicode.h"

namespace lffn {

// Where the first ' ' at or behind `at` is; the text's end if there is none.
inline size_t next_blank(std::string_view text, size_t at) {
  // Most are so near that a call of find() would take longer.
  for (size_t near = 0; near < 16; ++near, ++at) {
    if (at >= text.size()) return text.size();
    if (text[at] == ' ') return at;
  }
  at = text.find(' ', at);
  return at < text.size() ? at : text.size();
}

// The end of the run of characters of this class that starts at `at`.
size_t run_end(std::string_view text, size_t at, UnicodeClass kind);

// BERT's words: a sign of punctuation alone, or what stands between blanks and such signs.
struct Word {
  size_t begin;
  size_t end;
};

// The first word at or behind `at`; an empty one at the text's end if there is none.
Word next_word(std::string_view text, size_t at);

// Where the piece that starts at `at`, inside the text, ends. Pieces are the matches of GPT-2's pattern
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// and lie side by side.
size_t piece_end(std::string_view text, size_t at);

}  // namespace lffn
