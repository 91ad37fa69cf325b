// SPDX-License-Identifier: Apache-2.0
// The tokenizer.json of what was read.
#pragma once

#include <string>

#include "tokenizer/description.h"

namespace lffn {

// The same text for the same content, and Hugging Face's library reads it, too.
std::string write_tokenizer_json(const TokenizerDescription& description);

}  // namespace lffn
