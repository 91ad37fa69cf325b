// SPDX-License-Identifier: Apache-2.0
// Ids become text again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/pattern.h"

namespace lffn {

struct DecoderStep {
  enum class Kind : uint8_t {
    kWordPiece,
    kByteLevel,
    kMetaspace,
    kEndOfWord,
    kByteFallback,
    kFuse,
    kStrip,
    kReplace
  } kind;
  // Of kWordPiece: the prefix of tokens that go on with a word; of kMetaspace and kStrip: the character that becomes a
  // blank or goes; of kEndOfWord: what becomes a blank, but at the end; of kReplace: what comes in.
  std::string text = {};
  bool cleans_up = true;       // of kWordPiece: blanks before signs go, in each token
  bool prepends = true;        // of kMetaspace: the character was put before the text
  size_t start = 0, stop = 0;  // of kStrip: so many characters at most go at each end of a token
  Pattern pattern = {};        // of kReplace
};

// Changes the texts of tokens; put side by side they are the whole text after the last step. Where kReplace makes more
// than `most` bytes of them it throws Error(LFFN_ERROR_BAD_TEXT).
void decode(const DecoderStep& step, size_t most, std::vector<std::string>& tokens);

// Takes away the blanks before signs and contractions that WordPiece's decoder puts there.
std::string without_odd_blanks(std::string_view text, bool also_do_not);

}  // namespace lffn
