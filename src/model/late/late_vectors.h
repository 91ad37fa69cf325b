// SPDX-License-Identifier: Apache-2.0
// The vectors of tokens that late interaction compares.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config/late_settings.h"
#include "model/encoder/head.h"

namespace lffn {

extern const Head kTokenVectorsHead;

// Appends those tokens of the sequence [begin, end) whose vectors are compared.
void add_tokens_with_vectors(const LateSettings& late, LateRole role, const int32_t* ids, int64_t begin, int64_t end,
                             std::vector<int64_t>& to);

}  // namespace lffn
