// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

// What a call for sparse vectors takes besides the other scratch memory; 0 for a model that gives none.
size_t sparse_scratch_bytes(const Model& model);

// One sparse vector for each sequence.
void pool_words(const Pass& pass, const Span& chunk, const Rows& hidden);

}  // namespace lffn
