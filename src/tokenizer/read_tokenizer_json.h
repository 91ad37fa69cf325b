// SPDX-License-Identifier: Apache-2.0
// tokenizer.json of Hugging Face's tokenizers library, as far as it describes a tokenizer that is known here.
#pragma once

#include <cstdint>
#include <string_view>

#include "tokenizer/description.h"

namespace lffn {

// Throws Error(LFFN_ERROR_BAD_MODEL) with a message that begins with the file's usual name.
TokenizerDescription read_tokenizer_json(std::string_view text, const int32_t* cancel);

}  // namespace lffn
