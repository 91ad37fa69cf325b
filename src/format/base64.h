// SPDX-License-Identifier: Apache-2.0
// Bytes as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lffn {

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);  // nullopt: it is none

}  // namespace lffn
