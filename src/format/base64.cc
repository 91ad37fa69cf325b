// SPDX-License-Identifier: Apache-2.0
#include "format/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lffn {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::array<int8_t, 256> make_values() {
  std::array<int8_t, 256> values;
  values.fill(-1);
  for (int8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
  return values;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string result;
  result.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) {
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
    }
    for (size_t i = 0; i < 4; ++i) {
      result += at + i <= bytes.size() ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return result;
}

std::optional<std::string> from_base64(std::string_view text) {
  const std::array<int8_t, 256> values = make_values();
  if (text.size() % 4 != 0) return std::nullopt;
  std::string result;
  result.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool is_last = at + 4 == text.size();
    const size_t padding = !is_last || text[at + 3] != '=' ? 0 : text[at + 2] == '=' ? 2 : 1;
    uint32_t group = 0;
    for (size_t i = 0; i < 4; ++i) {
      const int8_t value = i < 4 - padding ? values[static_cast<unsigned char>(text[at + i])] : int8_t{0};
      if (value < 0) return std::nullopt;
      group = group << 6 | static_cast<uint32_t>(value);
    }
    for (size_t i = 0; i < 3 - padding; ++i) result += static_cast<char>(group >> (16 - 8 * i) & 0xFF);
  }
  return result;
}

}  // namespace lffn
