// SPDX-License-Identifier: Apache-2.0
// White space as Python's str.strip() knows it.
#pragma once

#include <cstddef>
#include <string_view>

namespace lffn {

// The bytes of the white-space character that the UTF-8 text begins with, or ends with; 0: there is none.
size_t space_at(std::string_view text, bool end);

std::string_view strip_start(std::string_view text);
std::string_view strip_end(std::string_view text);
inline std::string_view strip(std::string_view text) { return strip_end(strip_start(text)); }

}  // namespace lffn
