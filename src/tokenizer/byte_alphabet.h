// SPDX-License-Identifier: Apache-2.0
// Byte-level vocabularies are written with one printable character for each byte: a space is U+0120.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lffn {

// Appends the character that stands for the byte, as UTF-8.
void append_byte_character(std::string& text, uint8_t byte);

// Appends the bytes that a token stands for. Characters that stand for no byte are kept as they are; the result is
// false if there are any. The token must be UTF-8.
bool append_token_bytes(std::string& bytes, std::string_view token);

}  // namespace lffn
