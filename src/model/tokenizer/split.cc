#include "model/tokenizer/split.h"

#include <cstdint>

namespace lffn {
namespace {

// Where the characters of this class end that start at `at`.
size_t run_end(std::string_view text, size_t at, UnicodeClass kind) {
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.kind != kind) break;
    at += character.size;
  }
  return at;
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

Character character_at(std::string_view text, size_t at) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data()) + at;
  const uint32_t lead = bytes[0];
  const auto low_bits = [&](size_t i) { return uint32_t{bytes[i]} & 0x3F; };
  if (lead < 0x80) return {1, unicode_class(lead)};
  if (lead < 0xE0) return {2, unicode_class((lead & 0x1F) << 6 | low_bits(1))};
  if (lead < 0xF0) return {3, unicode_class((lead & 0x0F) << 12 | low_bits(1) << 6 | low_bits(2))};
  return {4, unicode_class((lead & 0x07) << 18 | low_bits(1) << 12 | low_bits(2) << 6 | low_bits(3))};
}

size_t piece_end(std::string_view text, size_t at) {
  if (text[at] == '\'') {
    const size_t size = contraction(text, at);
    if (size > 0) return at + size;
  }
  // One space goes with the letters, digits or signs that follow it.
  const size_t start = text[at] == ' ' && at + 1 < text.size() ? at + 1 : at;
  const Character first = character_at(text, start);
  if (first.kind != UnicodeClass::kSpace) return run_end(text, start + first.size, first.kind);

  size_t last = at;
  size_t end = at;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (character.kind != UnicodeClass::kSpace) break;
    last = end;
    end += character.size;
  }
  // Before anything else than blanks the last blank stays, to start the next piece.
  return end == text.size() || last == at ? end : last;
}

}  // namespace lffn
