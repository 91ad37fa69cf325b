// SPDX-License-Identifier: Apache-2.0
#include "format/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace lffn {
namespace {

// How many bytes at the start of a non-empty text begin a character, and how many bytes that character would have.
// Unicode 15, table 3-7.
struct Start {
  size_t found;  // at least 1
  size_t wanted;
};
Start start_of(const unsigned char* text, size_t size) {
  const unsigned lead = text[0];
  if (lead < 0x80) return {1, 1};
  if (lead < 0xC2 || lead > 0xF4) return {1, 2};
  const size_t wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (size == 1 || text[1] < low || text[1] > high) return {1, wanted};
  size_t found = 2;
  while (found < wanted && found < size && is_inside_character(static_cast<char>(text[found]))) ++found;
  return {found, wanted};
}

// Bytes of the well-formed sequence at the start of a non-empty text; 0 if there is none.
size_t sequence_length(const unsigned char* text, size_t size) {
  const Start start = start_of(text, size);
  return start.found == start.wanted ? start.wanted : 0;
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
    while (at < text.size() && bytes[at] < 0x80) ++at;
    while (at < text.size() && bytes[at] >= 0x80) {
      const size_t length = sequence_length(bytes + at, text.size() - at);
      if (length == 0) return at;
      at += length;
    }
  }
  return at;
}

void append_utf8(std::string& text, uint32_t code_point) {
  const auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  const auto rest = [&](unsigned shift) { add(0x80 | (code_point >> shift & 0x3F)); };
  if (code_point < 0x80) return add(code_point);
  if (code_point < 0x800) {
    add(0xC0 | code_point >> 6);
  } else if (code_point < 0x10000) {
    add(0xE0 | code_point >> 12);
    rest(6);
  } else {
    add(0xF0 | code_point >> 18);
    rest(12);
    rest(6);
  }
  rest(0);
}

size_t ByteShifts::from(size_t to) const {
  const auto next = std::upper_bound(shifts_.begin(), shifts_.end(), to,
                                     [](size_t wanted, const auto& shift) { return wanted < shift.first; });
  const size_t from = next == shifts_.begin() ? to : (next - 1)->second + (to - (next - 1)->first);
  return next == shifts_.end() ? from : std::min(from, next->second);
}

void repair_utf8(std::string_view bytes, std::string& to, ByteShifts* shifts) {
  to.clear();
  size_t at = 0;
  for (;;) {
    const size_t valid = valid_utf8_length(bytes.substr(at));
    to.append(bytes, at, valid);
    at += valid;
    if (at == bytes.size()) return;
    to += "\xEF\xBF\xBD";
    at += start_of(reinterpret_cast<const unsigned char*>(bytes.data()) + at, bytes.size() - at).found;
    if (shifts != nullptr) shifts->add(to.size(), at);
  }
}

std::string repaired_utf8(std::string_view bytes) {
  std::string result;
  repair_utf8(bytes, result, nullptr);
  return result;
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
