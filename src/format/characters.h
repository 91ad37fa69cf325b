// SPDX-License-Identifier: Apache-2.0
// Texts by their characters instead of their bytes. All texts are well-formed UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "format/utf8.h"

namespace lffn {

inline size_t count_characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_inside_character(byte); }));
}

// The beginning of a text with so many characters, or all of it.
inline std::string_view first_characters(std::string_view text, size_t count) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_inside_character(text[at]) && count-- == 0) return text.substr(0, at);
  }
  return text;
}

}  // namespace lffn
