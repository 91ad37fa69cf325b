// SPDX-License-Identifier: Apache-2.0
// Ids become text again.
#pragma once

#include <string>
#include <string_view>

namespace lffn {

// Takes away the blanks before signs and contractions that WordPiece's decoder puts there.
std::string without_odd_blanks(std::string_view text, bool also_do_not);

// Appends what a token of WordPiece adds to a text: a blank before it unless it is the first or goes on with a word.
void append_word_piece(std::string& text, std::string_view token, std::string_view prefix, bool is_first,
                       bool cleans_up);

// Appends the bytes that a token of the byte alphabet stands for; the token itself if it is not of that alphabet.
void append_byte_token(std::string& bytes, std::string_view token);

}  // namespace lffn
