#include "model/tokenizer/byte_alphabet.h"

#include <array>
#include <cstddef>

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

void append_byte_character(std::string& text, uint8_t byte) {
  const uint32_t character = kAlphabet.character_of[byte];
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else {
    text += static_cast<char>(0xC0 | character >> 6);
    text += static_cast<char>(0x80 | (character & 0x3F));
  }
}

bool append_token_bytes(std::string& bytes, std::string_view token) {
  bool all = true;
  for (size_t at = 0; at < token.size();) {
    const auto lead = static_cast<unsigned char>(token[at]);
    const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t character = kEnd;
    if (size == 1) character = lead;
    if (size == 2) character = (lead & 0x1Fu) << 6 | (static_cast<unsigned char>(token[at + 1]) & 0x3Fu);
    if (character < kEnd && kAlphabet.byte_of[character] >= 0) {
      bytes += static_cast<char>(kAlphabet.byte_of[character]);
    } else {
      bytes.append(token, at, size);
      all = false;
    }
    at += size;
  }
  return all;
}

}  // namespace lffn
