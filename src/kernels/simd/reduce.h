// SPDX-License-Identifier: Apache-2.0
// From rows of partial sums to one number for each row, the rows side by side in the lanes.
#pragma once

#include "kernels/hash/transform.h"
#include "kernels/kernels.h"
#include "kernels/simd/simd.h"

namespace lffn {
namespace {

// Calls reduce(columns, first row) for the columns of partial[rows][kPartialSums], with the rows in the lanes.
// `partial` must have room for whole vectors of rows; the rows added become zero.
template <typename Reduce>
inline void reduce_rows(float* partial, int64_t rows, Reduce&& reduce) {
  const int64_t slots = (rows + kLanes - 1) / kLanes * kLanes;
  for (int64_t i = rows * kPartialSums; i < slots * kPartialSums; ++i) partial[i] = 0;
  for (int64_t q = 0; q < slots; q += kLanes) {
    float lanes[kPartialSums * kLanes];
    for (int64_t r = 0; r < kLanes; r += 4) {
      for (int64_t p = 0; p < kPartialSums; p += 4) {
        const float* from = partial + (q + r) * kPartialSums + p;
        transpose4(from, from + kPartialSums, from + 2 * kPartialSums, from + 3 * kPartialSums, lanes + p * kLanes + r,
                   kLanes);
      }
    }
    F32 columns[kPartialSums];
    for (int p = 0; p < kPartialSums; ++p) columns[p] = F32::load(lanes + p * kLanes);
    reduce(static_cast<F32*>(columns), q);
  }
}

}  // namespace
}  // namespace lffn
