// SPDX-License-Identifier: Apache-2.0
// Many texts to tokens and back, by a tokenizer without a model. All throw Error.
#pragma once

#include <cstdint>

#include "run/memory.h"
#include "run/outputs.h"
#include "run/request.h"
#include "runtime/executor.h"
#include "texts/text_rows.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

inline constexpr OutputSet kDecodedOutputs = set_of(LFFN_OUT_DECODED, LFFN_OUT_DECODED_OFFSETS);

// Gives those of kReadOutputs that are asked for, and completes `rules` for them.
void tokenize(const Tokenizer& tokenizer, const GivenTexts& given, TextRows::Rules rules, Executor& executor,
              int32_t threads, Outputs& outputs, CallMemory& memory);

void detokenize(const Tokenizer& tokenizer, const GivenIds& given, int64_t n, bool skip_special, Outputs& outputs,
                CallMemory& memory);

}  // namespace lffn
