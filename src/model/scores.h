// SPDX-License-Identifier: Apache-2.0
// What becomes of logits: the most likely tokens, and class scores as probabilities.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.h"

namespace lffn {

// Writes the top_k most likely ids, the lower id first among equals, and their softmax over all logits. Either array
// may be nullptr. `order` is room that is kept.
void most_likely(const float* logits, int32_t vocabulary, int32_t top_k, std::vector<int32_t>& order, int32_t* ids,
                 float* probabilities);

// kind: LFFN_SCORES_. scores and out, [n][num_classes], may be the same.
void activate_scores(const Model& model, int32_t kind, const float* scores, int64_t n, float* out);

}  // namespace lffn
