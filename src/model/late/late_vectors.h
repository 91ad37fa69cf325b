// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/encoder/pass.h"

namespace lffn {

// What making vectors and weights of a chunk's tokens works with.
void place_late_stage(const Model& model, int64_t chunk, ScratchLayout& layout);

// Appends of the tokens [begin, end), one sequence, those whose vectors are compared.
void add_tokens_with_vectors(const LateSettings& late, LateRole role, const int32_t* ids, int64_t begin, int64_t end,
                             std::vector<int64_t>& to);

void make_token_vectors(const Pass& pass, const Span& chunk, const Rows& hidden);
// One sparse vector for each sequence, of the weights of its tokens.
void weigh_tokens(const Pass& pass, const Span& chunk, const Rows& hidden);

}  // namespace lffn
