// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <cstdint>

#include "format/utf8.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

// The character that starts at `at`.
struct Character {
  size_t end;
  UnicodeRecord record;
};
Character character_at(std::string_view text, size_t at) {
  const UnicodeRecord record = unicode_record(next_character(text, at));
  return {at, record};
}

// The bytes of 's, 't, 're, 've, 'm, 'll or 'd at an apostrophe; 0 if none is there.
size_t contraction(std::string_view text, size_t at) {
  const char first = at + 1 < text.size() ? text[at + 1] : '\0';
  const char second = at + 2 < text.size() ? text[at + 2] : '\0';
  switch (first) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return second == 'e' ? 3 : 0;
    case 'l':
      return second == 'l' ? 3 : 0;
    default:
      return 0;
  }
}

}  // namespace

size_t run_end(std::string_view text, size_t at, UnicodeClass kind) {
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.record.kind() != kind) break;
    at = character.end;
  }
  return at;
}

Word next_word(std::string_view text, size_t at) {
  Character first = {at, {0, 0}};
  while (at < text.size() && (first = character_at(text, at)).record.is_space()) at = first.end;
  if (at == text.size()) return {at, at};
  size_t end = first.end;
  while (!first.record.is_punctuation() && end < text.size()) {
    const Character next = character_at(text, end);
    if (next.record.is_space() || next.record.is_punctuation()) break;
    end = next.end;
  }
  return {at, end};
}

size_t piece_end(std::string_view text, size_t at) {
  if (text[at] == '\'') {
    const size_t size = contraction(text, at);
    if (size > 0) return at + size;
  }
  // One space goes with the letters, digits or signs that follow it.
  const size_t start = text[at] == ' ' && at + 1 < text.size() ? at + 1 : at;
  const Character first = character_at(text, start);
  if (!first.record.is_space()) return run_end(text, first.end, first.record.kind());

  const size_t end = run_end(text, at, UnicodeClass::kSpace), last = character_before(text, end);
  // Before anything but blanks, the last blank is left to start the next piece.
  return end == text.size() || last == at ? end : last;
}

}  // namespace lffn
