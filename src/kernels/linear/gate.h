// SPDX-License-Identifier: Apache-2.0
// The inside of a gated feed-forward block: neurons that an activation lets through, times others.
#pragma once

#include "kernels/linear/linear.h"
#include "kernels/simd/simd.h"

namespace lffn {
namespace {

inline void gate(Activation activation, int activated, float* rows, int64_t stride, int64_t count, int64_t half) {
  for (int64_t r = 0; r < count; ++r, rows += stride) {
    activate(activation, rows + activated * half, stride, 1, half);
    const float* other = rows + half;
    int64_t i = 0;
    for (; i + kLanes <= half; i += kLanes) (F32::load(rows + i) * F32::load(other + i)).store(rows + i);
    for (; i < half; ++i) rows[i] *= other[i];
  }
}

}  // namespace
}  // namespace lffn
