// SPDX-License-Identifier: Apache-2.0
// Codes and score bytes as gather_picked wants them. The tokens stay in the lanes, so nothing is transposed, and all
// scales of a table's rows are one register.
#pragma once

#include "kernels/gather_int8.h"
#include "kernels/kernels.h"
#include "kernels/quantise.h"
#include "kernels/score.h"

namespace lffn {
namespace {

// hash_value(index, offset) gives a hash value of the tokens from that offset on. `weights` may be where the hash
// values come from: those of a table are read before its row is written.
template <int kVectors, typename HashValue>
LFFN_INLINE inline void put_picks(const HashPlan& plan, HashValue&& hash_value, float* weights, const PickOutput& out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const int64_t tables = plan.num_tables;
  I32 largest[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { largest[v] = I32::set1(0); });
  for (int64_t first = 0, g = 0; first < tables; first += kEntryGroup, ++g) {
    I32 codes[kEntryGroup][kVectors];
    for (int e = 0; e < kEntryGroup; ++e) {
      const int64_t k = first + e;
      if (k >= tables) {
        unroll<kVectors>([&](auto v) LFFN_INLINE { codes[e][v] = I32::set1(0); });
        continue;
      }
      F32 scores[kVectors];
      score_lanes<kVectors>(
          plan.code_bits, plan.sigmoid,
          [&](int32_t j, int v) LFFN_INLINE { return hash_value(k * plan.code_bits + j, v * kLanes); }, codes[e],
          scores);
      const F32 row_scales = F32::load(out.row_scales + k * out.table_size);
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        const F32 weight = scores[v] * pick(row_scales, codes[e][v]);
        weight.store(weights + k * kTokens + v * kLanes);
        largest[v] = larger_magnitude(largest[v], weight);
        codes[e][v] = codes[e][v] + I32::set1(kPickRows * e);
      });
    }
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      pack_bytes(codes[0][v], codes[1][v], codes[2][v], codes[3][v]).store(out.codes + g * out.stride + v * kLanes);
    });
  }
  unroll<kVectors>([&](auto v) LFFN_INLINE {
    score_byte_scale(from_bits(largest[v])).store(out.score_byte_scales + v * kLanes);
    const F32 step = from_bits(bits(score_byte_step(from_bits(largest[v]))) & positive(to_float(largest[v])));
    for (int64_t first = 0, g = 0; first < tables; first += kEntryGroup, ++g) {
      I32 bytes[kEntryGroup];
      unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
        const float* weight = weights + (first + e) * kTokens + v * kLanes;
        bytes[e] = first + e < tables ? score_byte(F32::load(weight), step) : I32::set1(0);
      });
      pack_bytes(bytes[0], bytes[1], bytes[2], bytes[3]).store(out.scores + g * out.stride + v * kLanes);
    }
  });
}

}  // namespace
}  // namespace lffn
