// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/byte_alphabet.h"

#include <array>
#include <cstddef>

#include "format/utf8.h"

namespace lffn {
namespace {

constexpr uint32_t kEnd = 256 + 68;  // 68 bytes are not printable in Latin-1 and get the characters from U+0100 on

constexpr bool stands_for_itself(uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct Alphabet {
  std::array<uint16_t, 256> character_of{};
  std::array<int16_t, kEnd> byte_of{};

  constexpr Alphabet() {
    for (uint32_t i = 0; i < kEnd; ++i) byte_of[i] = -1;
    uint32_t next = 256;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t character = stands_for_itself(byte) ? byte : next++;
      character_of[byte] = static_cast<uint16_t>(character);
      byte_of[character] = static_cast<int16_t>(byte);
    }
  }
};

constexpr Alphabet kAlphabet;

}  // namespace

void append_byte_character(std::string& text, uint8_t byte) { append_utf8(text, kAlphabet.character_of[byte]); }

bool append_token_bytes(std::string& bytes, std::string_view token) {
  bool all = true;
  for (size_t at = 0; at < token.size();) {
    const size_t start = at;
    const uint32_t character = next_character(token, at);
    if (character < kEnd && kAlphabet.byte_of[character] >= 0) {
      bytes += static_cast<char>(kAlphabet.byte_of[character]);
    } else {
      bytes.append(token, start, at - start);
      all = false;
    }
  }
  return all;
}

}  // namespace lffn
