// SPDX-License-Identifier: Apache-2.0
// What std::string_view::starts_with does from C++20 on.
#pragma once

#include <string_view>

namespace lffn {

inline bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

}  // namespace lffn
