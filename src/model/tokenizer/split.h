// Cuts text into the pieces that byte pairs are merged within.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/tokenizer/unicode_class.h"

namespace lffn {

// A character of well-formed UTF-8.
struct Character {
  size_t size;  // bytes
  UnicodeClass kind;
};

// The character that starts at `at`.
Character character_at(std::string_view text, size_t at);

// Where the piece that starts at `at`, inside the text, ends. Pieces are the matches of GPT-2's pattern
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// and lie side by side. The text must be UTF-8.
size_t piece_end(std::string_view text, size_t at);

}  // namespace lffn
