// SPDX-License-Identifier: Apache-2.0
// Late interaction's score: each vector of a query is compared with the document's vector that is most like it.
#pragma once

#include <cstdint>

#include "model/tensors/workers.h"

namespace lffn {

// Vectors of several texts, as floats or as bytes with a scale for each vector.
struct LateVectors {
  const float* floats = nullptr;
  const int8_t* bytes = nullptr;
  const float* scales = nullptr;     // of bytes
  const int64_t* offsets = nullptr;  // [count + 1]
  int64_t count = 0;                 // texts
};

constexpr int32_t kMaxLateSize = 65536;

// scores: [queries][documents]. means: over a query's vectors, not sums. Throws Error(LFFN_ERROR_CANCELLED).
void max_sim(const Workers& workers, const LateVectors& queries, const LateVectors& documents, int64_t size, bool means,
             float* scores);

}  // namespace lffn
