// SPDX-License-Identifier: Apache-2.0
// Text that came from outside: is it UTF-8, and how to show it in a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lffn {

// How many bytes from the start are well-formed UTF-8: text.size() if all of them are. No overlong forms, no
// surrogates, nothing above U+10FFFF.
size_t valid_utf8_length(std::string_view text);

// The character of well-formed UTF-8 at `at`, which moves behind it.
inline uint32_t next_character(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[at + i])); };
  const uint32_t lead = byte(0);
  const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const uint32_t result = size == 1   ? lead
                          : size == 2 ? (lead & 0x1F) << 6 | (byte(1) & 0x3F)
                          : size == 3
                              ? (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F)
                              : (lead & 7) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  at += size;
  return result;
}

// Whether the byte belongs to a character but is not its first.
inline bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Where the character before `at` begins, in well-formed UTF-8 that has one there.
inline size_t character_before(std::string_view text, size_t at) {
  do --at;
  while (is_inside_character(text[at]));
  return at;
}

void append_utf8(std::string& text, uint32_t code_point);

// Where the bytes of a changed text come from.
class ByteShifts {
 public:
  void clear() { shifts_.clear(); }
  // From its byte `to` on, the changed text is the other text from byte `from` on.
  void add(size_t to, size_t from) { shifts_.emplace_back(to, from); }
  size_t from(size_t to) const;

 private:
  std::vector<std::pair<size_t, size_t>> shifts_;
};

// Copies the bytes, with U+FFFD in place of each stray byte and of each longest start of an incomplete character.
// `shifts` may be nullptr.
void repair_utf8(std::string_view bytes, std::string& to, ByteShifts* shifts);
std::string repaired_utf8(std::string_view bytes);

// The text in single quotes, control characters and stray bytes as \xNN, cut after about `most` bytes.
std::string in_quotes(std::string_view text, size_t most = 80);

// What std::string_view has from C++20 on.
inline bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace lffn
