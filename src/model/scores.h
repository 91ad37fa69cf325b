// SPDX-License-Identifier: Apache-2.0
// What becomes of class scores: probabilities, or what a reranker's files ask for.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace lffn {

// kind: LFFN_SCORES_. scores and out, [n][num_classes], may be the same.
void activate_scores(const Model& model, int32_t kind, const float* scores, int64_t n, float* out);

}  // namespace lffn
