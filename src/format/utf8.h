// Text that came from outside: is it UTF-8, and how to show it in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lffn {

// How many bytes from the start are well-formed UTF-8: text.size() if all of them are. No overlong forms, no
// surrogates, nothing above U+10FFFF.
size_t valid_utf8_length(std::string_view text);

// The text in single quotes, control characters and stray bytes as \xNN, cut after about `most` bytes.
std::string in_quotes(std::string_view text, size_t most = 80);

}  // namespace lffn
