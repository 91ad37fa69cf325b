// SPDX-License-Identifier: Apache-2.0
// From rows to panels: the layout in which a matrix's outputs lie side by side for the products.
#pragma once

#include "kernels/hash/transform.h"
#include "kernels/kernels.h"
#include "kernels/simd/simd.h"

namespace lffn {
namespace {

inline void lay_panels(const float* matrix, int64_t stride, int64_t outputs, int64_t inputs, float* panels) {
  for (int64_t p = 0; p < outputs; p += kPanel, panels += inputs * kPanel) {
    for (int64_t o = 0; o < kPanel; o += 4) {
      const float* rows = matrix + (p + o) * stride;
      int64_t i = 0;
      if (p + o + 4 <= outputs) {
        for (; i + 4 <= inputs; i += 4) {
          transpose4(rows + i, rows + stride + i, rows + 2 * stride + i, rows + 3 * stride + i, panels + i * kPanel + o,
                     kPanel);
        }
      }
      for (; i < inputs; ++i) {
        for (int64_t k = 0; k < 4; ++k) panels[i * kPanel + o + k] = p + o + k < outputs ? rows[k * stride + i] : 0.0f;
      }
    }
  }
}

inline void widen(const uint16_t* numbers, int64_t count, float* out) {
  for (int64_t i = 0; i < count; i += kLanes) load_bf16(numbers + i).store(out + i);
}

inline void normalise(const NormPlan& plan, const float* in, int64_t in_stride, int64_t rows, float* out,
                      int64_t out_stride) {
  constexpr int kRows = kLanes >= 8 ? 4 : 2;
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) {
    normalise_rows<kRows>(plan, in + r * in_stride, in_stride, out + r * out_stride, out_stride);
  }
  for (; r < rows; ++r) normalise_token(plan, in + r * in_stride, out + r * out_stride);
}

}  // namespace
}  // namespace lffn
