// SPDX-License-Identifier: Apache-2.0
// From hash values to codes and scores, several tables or tokens side by side.
#pragma once

#include "kernels/gather/gather_int8.h"
#include "kernels/kernels.h"
#include "kernels/linear/quantise.h"
#include "kernels/simd/exponential.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

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

// Hash value j of the i-th table from some table on has the index first + i * next + j * apart, up to the next table
// whose number is a multiple of kPanel.
struct HashPlace {
  int64_t first, next, apart;
};
inline HashPlace hash_place(const HashPlan& plan, int64_t table) {
  if (!plan.dense) return {table * plan.code_bits, plan.code_bits, 1};
  const int64_t group = table / kPanel * kPanel, left = plan.num_tables - group;
  return {group * plan.code_bits + table - group, 1, left < kPanel ? left : kPanel};
}

// Stores as many entries as there are lanes, of as many tokens: rows[entry][tokens] -> entries side by side for each
// token, the tokens `stride` entries apart.
inline void store_entries(const int32_t* codes, const float* scores, int64_t tokens, uint16_t* code_out,
                          float* score_out, int64_t stride) {
  native_transpose(scores, tokens, score_out, stride);
  float columns[kLanes * kLanes], rows[kLanes * kLanes];
  for (int i = 0; i < kLanes; ++i) from_bits(I32::load(codes + i * tokens)).store(rows + i * kLanes);
  native_transpose(rows, kLanes, columns, kLanes);
  for (int t = 0; t < kLanes; ++t) store_u16(bits(F32::load(columns + t * kLanes)), code_out + t * stride);
}

#if defined(__AVX512F__) && !defined(LFFN_GENERIC)
#define LFFN_PICKS 1

// What gather_picked wants: the tokens lie in the lanes, and all scales of a table's rows are one register.

// Codes and score bytes of `tables` tables, four at a time.
struct Picks {
  const PickOutput& out;
  int64_t tables;
  float* weights;  // [tables][tokens]
  int64_t tokens;

  // Puts those of the four tables from `first` on and of the tokens from `token` on. largest: the tokens' largest
  // weight so far.
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

  // Makes the bytes of all weights.
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

// hash_value(number, offset) gives a hash value of the tokens from that offset on. `weights` may be where the hash
// values come from: a row is read before it is written.
template <int kVectors, typename HashValue>
LFFN_INLINE inline void put_picks(const HashPlan& plan, HashValue&& hash_value, float* weights, const PickOutput& out) {
  const Picks picks = {out, plan.num_tables, weights, kVectors * kLanes};
  I32 largest[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { largest[v] = I32::set1(0); });
  for (int64_t first = 0; first < plan.num_tables; first += kEntryGroup) {
    I32 codes[kVectors][kEntryGroup];
    F32 scores[kVectors][kEntryGroup];
    const HashPlace place = hash_place(plan, first);
    for (int e = 0; e < kEntryGroup && first + e < plan.num_tables; ++e) {
      I32 code[kVectors];
      F32 score[kVectors];
      score_lanes<kVectors>(
          plan.code_bits, plan.sigmoid,
          [&](int32_t j, int v)
              LFFN_INLINE { return hash_value(place.first + e * place.next + j * place.apart, v * kLanes); },
          code, score);
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        codes[v][e] = code[v];
        scores[v][e] = score[v];
      });
    }
    unroll<kVectors>([&](auto v) LFFN_INLINE { picks.put(first, v * kLanes, codes[v], scores[v], &largest[v]); });
  }
  unroll<kVectors>([&](auto v) LFFN_INLINE { picks.finish(v * kLanes, largest[v]); });
}

#endif

}  // namespace
}  // namespace lffn
