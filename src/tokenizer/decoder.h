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
  // Of kWordPiece: the prefix of tokens that continue a word; of kMetaspace and kStrip: the character that becomes a
  // blank or is removed; of kEndOfWord: the text that becomes a blank, except at the end; of kReplace: the replacement.
  std::string text = {};
  bool cleans_up = true;       // of kWordPiece: in each token, blanks before punctuation are removed
  bool prepends = true;        // of kMetaspace: the character was put before the text
  size_t start = 0, stop = 0;  // of kStrip: how many characters at most are removed at each end of a token
  Pattern pattern = {};        // of kReplace
};

// Changes the texts of tokens; after the last step they are joined to the whole text. Throws Error(LFFN_ERROR_BAD_TEXT)
// where kReplace makes more than `most` bytes of them.
void decode(const DecoderStep& step, size_t most, std::vector<std::string>& tokens);

// Removes the blanks that WordPiece's decoder puts before punctuation and contractions.
std::string without_odd_blanks(std::string_view text, bool also_do_not);

}  // namespace lffn
