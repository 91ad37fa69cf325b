// SPDX-License-Identifier: Apache-2.0
// tokenizer_config.json and special_tokens_map.json: what they say besides, or against, tokenizer.json.
#pragma once

#include <string_view>

#include "tokenizer/description.h"

namespace lffn {

// Both do what transformers does, and throw Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's
// name. The first returns whether it lists the added tokens, and so leaves nothing for the second to say.
bool apply_tokenizer_config(std::string_view text, TokenizerDescription& to);
void apply_special_tokens_map(std::string_view text, TokenizerDescription& to);

}  // namespace lffn
