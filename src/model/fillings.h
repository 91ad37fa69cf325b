// SPDX-License-Identifier: Apache-2.0
// The most likely tokens in place of a mask.
#pragma once

#include <cstdint>

namespace lffn {

// Writes the top_k most likely ids, the lower id first among equals, and their softmax over all logits. `probabilities`
// may be nullptr.
void most_likely(const float* logits, int32_t vocabulary, int32_t top_k, int32_t* ids, float* probabilities);

}  // namespace lffn
