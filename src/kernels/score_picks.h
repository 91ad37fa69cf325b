// SPDX-License-Identifier: Apache-2.0
// Codes and score bytes as gather_picked wants them: the tokens lie in the lanes, and all scales of a table's rows are
// one register.
#pragma once

#include "kernels/gather_int8.h"
#include "kernels/kernels.h"
#include "kernels/quantise.h"
#include "kernels/score.h"

namespace lffn {
namespace {

// Codes and score bytes of so many tables, four at a time.
struct Picks {
  const PickOutput& out;
  int64_t tables;
  float* weights;  // [tables][tokens]
  int64_t tokens;

  // Those of the tables from `first` on and of the tokens from `token` on. largest: the tokens' largest weight so far.
  LFFN_INLINE void put(int64_t first, int64_t token, I32* codes, const F32* scores, I32* largest) const {
    unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
      const int64_t k = first + e;
      if (k >= tables) {
        codes[e] = I32::set1(0);
        return;
      }
      const F32 weight = scores[e] * pick(F32::load(out.row_scales + k * out.table_size), codes[e]);
      weight.store(weights + k * tokens + token);
      *largest = larger_magnitude(*largest, weight);
      codes[e] = codes[e] + I32::set1(kPickRows * e);
    });
    pack_bytes(codes[0], codes[1], codes[2], codes[3]).store(out.codes + first / kEntryGroup * out.stride + token);
  }

  // The bytes of all weights.
  void finish(int64_t token, I32 largest) const {
    score_byte_scale(from_bits(largest)).store(out.score_byte_scales + token);
    const F32 step = from_bits(bits(score_byte_step(from_bits(largest))) & positive(to_float(largest)));
    for (int64_t first = 0, g = 0; first < tables; first += kEntryGroup, ++g) {
      I32 bytes[kEntryGroup];
      unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
        const float* weight = weights + (first + e) * tokens + token;
        bytes[e] = first + e < tables ? score_byte(F32::load(weight), step) : I32::set1(0);
      });
      pack_bytes(bytes[0], bytes[1], bytes[2], bytes[3]).store(out.scores + g * out.stride + token);
    }
  }
};

// hash_value(index, offset) gives a hash value of the tokens from that offset on. `weights` may be where the hash
// values come from: those of a table are read before its row is written.
template <int kVectors, typename HashValue>
LFFN_INLINE inline void put_picks(const HashPlan& plan, HashValue&& hash_value, float* weights, const PickOutput& out) {
  const Picks picks = {out, plan.num_tables, weights, kVectors * kLanes};
  I32 largest[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { largest[v] = I32::set1(0); });
  for (int64_t first = 0; first < plan.num_tables; first += kEntryGroup) {
    I32 codes[kVectors][kEntryGroup];
    F32 scores[kVectors][kEntryGroup];
    for (int e = 0; e < kEntryGroup && first + e < plan.num_tables; ++e) {
      I32 code[kVectors];
      F32 score[kVectors];
      score_lanes<kVectors>(
          plan.code_bits, plan.sigmoid,
          [&](int32_t j, int v) LFFN_INLINE { return hash_value((first + e) * plan.code_bits + j, v * kLanes); }, code,
          score);
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        codes[v][e] = code[v];
        scores[v][e] = score[v];
      });
    }
    unroll<kVectors>([&](auto v) LFFN_INLINE { picks.put(first, v * kLanes, codes[v], scores[v], &largest[v]); });
  }
  unroll<kVectors>([&](auto v) LFFN_INLINE { picks.finish(v * kLanes, largest[v]); });
}

}  // namespace
}  // namespace lffn
