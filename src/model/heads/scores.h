// SPDX-License-Identifier: Apache-2.0
// What becomes of class scores and of logits.
#pragma once

#include <cstdint>

#include "model/encoder/model_core.h"

namespace lffn {

// What becomes of class scores: probabilities, or what a reranker's files ask for.
// kind: LFFN_SCORES_. scores and out, [n][num_classes], may be the same.
void activate_scores(const ModelCore& model, int32_t kind, const float* scores, int64_t n, float* out);

// The most likely tokens in place of a mask: writes the top_k most likely ids, the lower id first among equals, and
// their softmax over all logits. `probabilities` may be nullptr.
void most_likely(const float* logits, int32_t vocabulary, int32_t top_k, int32_t* ids, float* probabilities);

}  // namespace lffn
