#include "format/utf8.h"

#include <cstdint>
#include <cstring>

namespace lffn {
namespace {

// Bytes of the well-formed sequence at the start of a non-empty text; 0 if there is none. Unicode 15, table 3-7.
size_t sequence_length(const unsigned char* text, size_t size) {
  const unsigned lead = text[0];
  if (lead < 0x80) return 1;
  size_t length;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (size < length || text[1] < low || text[1] > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

size_t valid_utf8_length(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at once: nearly all text that gets here is ASCII.
    uint64_t word;
    if (text.size() - at >= sizeof(word)) {
      std::memcpy(&word, bytes + at, sizeof(word));
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    const size_t length = sequence_length(bytes + at, text.size() - at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string in_quotes(std::string_view text, size_t most) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::string result = "'";
  size_t at = 0;
  while (at < text.size() && result.size() <= most) {
    const size_t length = sequence_length(bytes + at, text.size() - at);
    if (length == 0 || bytes[at] < 0x20 || bytes[at] == 0x7F) {
      constexpr char kDigits[] = "0123456789abcdef";
      result += "\\x";
      result += kDigits[bytes[at] >> 4];
      result += kDigits[bytes[at] & 15];
      ++at;
    } else {
      result.append(text, at, length);
      at += length;
    }
  }
  result += at < text.size() ? "...'" : "'";
  return result;
}

}  // namespace lffn
