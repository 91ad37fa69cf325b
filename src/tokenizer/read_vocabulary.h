// SPDX-License-Identifier: Apache-2.0
// vocab.txt, a token on each line; vocab.json, an object of token: id, with merges.txt, a pair on each line.
#pragma once

#include <cstdint>
#include <string_view>

#include "tokenizer/description.h"

namespace lffn {

// Both throw Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's usual name.
TokenizerDescription read_vocab_txt(std::string_view text, const int32_t* cancel);
TokenizerDescription read_vocab_merges(std::string_view vocab_json, std::string_view merges_txt, const int32_t* cancel);

}  // namespace lffn
