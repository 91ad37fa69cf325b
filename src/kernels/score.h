// SPDX-License-Identifier: Apache-2.0
// From hash values to codes and scores, several tables or tokens side by side.
#pragma once

#include "kernels/exponential.h"
#include "kernels/kernels.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

// One table in each lane of kVectors vectors, which take turns to hide each other's latency. hash(j, v) gives the
// lanes' j-th hash values.
template <int kVectors, typename Hash>
LFFN_INLINE inline void score_lanes(int32_t code_bits, bool sigmoid, Hash&& hash, I32* codes, F32* scores) {
  I32 bits_so_far[kVectors];
  F32 sum[kVectors], product[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE {
    bits_so_far[v] = I32::set1(0);
    sum[v] = F32::set1(0);
    product[v] = F32::set1(1);
  });
  for (int32_t j = 0; j < code_bits; ++j) {
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const F32 z = hash(j, v);
      const F32 magnitude = abs(z);
      bits_so_far[v] = (bits_so_far[v] + bits_so_far[v]) - positive(z);
      sum[v] = sum[v] + magnitude;
      product[v] = fma(product[v], exp2_negative(magnitude * F32::set1(-2.0f * kLog2E)), product[v]);
    });
  }
  unroll<kVectors>([&](auto v) LFFN_INLINE {
    codes[v] = bits_so_far[v];
    scores[v] = (sigmoid ? F32::set1(1.0f) : sum[v]) / product[v];
  });
}

// As many entries as there are lanes, of as many tokens, rows[entry][tokens] -> entries side by side for each token,
// the tokens `stride` entries apart.
inline void store_entries(const int32_t* codes, const float* scores, int64_t tokens, uint16_t* code_out,
                          float* score_out, int64_t stride) {
  native_transpose(scores, tokens, score_out, stride);
  float columns[kLanes * kLanes], rows[kLanes * kLanes];
  for (int i = 0; i < kLanes; ++i) from_bits(I32::load(codes + i * tokens)).store(rows + i * kLanes);
  native_transpose(rows, kLanes, columns, kLanes);
  for (int t = 0; t < kLanes; ++t) store_u16(bits(F32::load(columns + t * kLanes)), code_out + t * stride);
}

}  // namespace
}  // namespace lffn
