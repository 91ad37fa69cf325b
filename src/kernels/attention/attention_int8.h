// SPDX-License-Identifier: Apache-2.0
// Attention of one head in int8. The weights of a block of keys are bytes relative to the largest of them. All
// sums of products are exact integers, and what is done in floats is done number by number: the same bits on every
// instruction set.
#pragma once

#include "kernels/attention/attention.h"
#include "kernels/attention/head_int8.h"

namespace lffn {
namespace {

// sums[kRows][kPanels * kPanel] = starts + the products of rows with panels; finish(row, vector, sums) gets them.
template <int kRows, int kPanels, typename Start, typename Finish>
LFFN_INLINE inline void whole_piece(const int32_t* rows, int64_t row_stride, int64_t cells, const int32_t* panels,
                                    int64_t panel_stride, Start&& start, Finish&& finish) {
  constexpr int kVectors = kPanels * kPanelVectors;
  I32 sums[kRows][kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE {
    const I32 first = start(v);
    unroll<kRows>([&](auto r) LFFN_INLINE { sums[r][v] = first; });
  });
  for (int64_t w = 0; w < cells; ++w) {
    add_products<AttentionProduct>(
        sums,
        [&](auto v) LFFN_INLINE {
          constexpr int kIndex = decltype(v)::value / kPanelVectors, kWithin = decltype(v)::value % kPanelVectors;
          return keep(I32::load(panels + kIndex * panel_stride + w * kPanel + kWithin * kLanes));
        },
        [&](auto r, int) LFFN_INLINE { return I32::set1(rows[r * row_stride + w]); });
  }
  unroll<kRows>([&](auto r)
                    LFFN_INLINE { unroll<kVectors>([&](auto v) LFFN_INLINE { finish(r, v, settled(sums[r][v])); }); });
}

// What each query's softmax has seen so far, with scores as exponents of 2.
struct Int8Softmax {
  float scale[kQuerySlots];    // for its products with keys' numbers
  float largest[kQuerySlots];  // score so far
  float sum[kQuerySlots];      // of weights
  float block_largest[kQuerySlots], block_sum[kQuerySlots];
  float before[kQuerySlots], now[kQuerySlots];  // by which earlier sums and the block's are scaled
  float poison[kQuerySlots];                    // NaN once a score was not finite
};

template <int kPanels>
inline void score_panels(const Int8Scratch& s, int64_t queries, int64_t first_key, float* scores) {
  for (int64_t q = 0; q < queries; q += kPieceRows) {
    float* const to = scores + q * kKeyBlock;
    whole_piece<kPieceRows, kPanels>(
        s.queries + q * s.row_cells, s.row_cells, s.key_cells, s.keys + first_key * s.row_cells, kPanel * s.row_cells,
        [&](auto v) LFFN_INLINE { return I32::load(s.key_starts + first_key + v * kLanes); },
        [&](auto r, auto v, I32 sums) LFFN_INLINE {
          const F32 scale = F32::load(s.key_scales + first_key + v * kLanes);
          (to_float(sums) * scale).store(to + r * kKeyBlock + v * kLanes);
        });
  }
}

constexpr float kWeightRound = kRoundInLowBits - kWeightZero;
// Scores are products of bytes times the keys' scales; times the query's scale they are exponents of 2.
struct Weigher {
  F32 largest, scale, lowest;
  explicit Weigher(float most, float by)
      : largest(F32::set1(most)), scale(F32::set1(by)), lowest(F32::set1(-126.0f / by)) {}
  // 255 * 2^((score - largest) * scale), within 0.2 %, as whole numbers less kWeightZero, in the low bits.
  I32 operator()(F32 score) const {
    const F32 below = max(lowest, score - largest);
    const F32 rounded = fma(below, scale, F32::set1(kRoundToExponent));
    const F32 f = fma(below, scale, F32::set1(kRoundToExponent) - rounded);
    const F32 p = fma(fma(F32::set1(60.79938f), f, F32::set1(179.37924f)), f, F32::set1(255.113f));
    return bits(fma(p, power_of_two(rounded), F32::set1(kWeightRound)));
  }
};

inline float largest_score(const float* scores, int64_t padded) {
  F32 highest = F32::load(scores);
  for (int64_t k = kLanes; k < padded; k += kLanes) highest = max(highest, F32::load(scores + k));
  return -least(F32::set1(0) - highest);
}

// One query's scores of a block -> cells of weights, and their sum.
inline float weigh_block(const float* scores, int64_t padded, float largest, float scale, int32_t* cells) {
  const Weigher weight(largest, scale);
  const I32 ones = I32::set1(kByteDot ? 0x01010101 : 0x00010001), nothing = bits(F32::set1(kWeightRound));
  I32 sums = I32::set1(0);
  int64_t k = 0;
  for (; k + kGroupKeys <= padded; k += kGroupKeys, cells += kPanel) {
    for (int64_t i = 0; i < kPanel; i += kLanes) {
      I32 numbers[kCellInputs];
      unroll<kCellInputs>([&](auto p) LFFN_INLINE { numbers[p] = weight(F32::load(scores + k + i + p * kPanel)); });
      const I32 packed = pack_numbers(numbers);
      packed.store(cells + i);
      sums = AttentionProduct::multiply(ones, packed, sums);
    }
  }
  const auto total = static_cast<int32_t>(k) * kWeightZero;
  for (; k < padded; k += kPanel, cells += kPanel / kCellInputs) {
    for (int64_t i = 0; i < kPanel; i += kLanes) {
      const I32 numbers = weight(F32::load(scores + k + i));
      store_side_by_side(numbers, cells, i);
      sums = sums + (numbers - nothing);
    }
  }
  return static_cast<float>(total + lane_sum(sums));
}

// seen: the keys that have weights, counted from first_key.
template <int kPanels>
inline void sum_panels(const Int8Scratch& s, const Int8Softmax& state, int64_t queries, const int32_t* weights,
                       int64_t first_key, Range seen, bool first, int64_t column) {
  const int32_t* starts = s.value_starts + first_key / kKeyBlock * s.columns + column;
  for (int64_t q = 0; q < queries; q += kPieceRows) {
    whole_piece<kPieceRows, kPanels>(
        weights + q * kBlockCells + cells_of(seen.begin), kBlockCells,
        cells_of(round_up(seen.end, kPanel) - seen.begin),
        s.values + column * s.value_cells + cells_of(first_key + seen.begin) * kPanel, kPanel * s.value_cells,
        [&](auto v) LFFN_INLINE {
          if constexpr (kWeightZero != 0) return I32::load(starts + v * kLanes);
          return I32::set1(0);
        },
        [&](auto r, auto v, I32 sums) LFFN_INLINE {
          float* const to = s.sums + (q + r) * s.columns + column + v * kLanes;
          F32 result = to_float(sums);
          if (!first) {
            result = fma(result, F32::set1(state.now[q + r]), F32::load(to) * F32::set1(state.before[q + r]));
          }
          result.store(to);
        });
  }
}

// Below all scores, but finite: the largest score of a query that has seen no key.
constexpr float kNoScore = -3e38f;

// Where queries see only some keys, each begins in a block of its own. So all start with nothing, to which their first
// block is added.
inline void begin_with_nothing(const Int8Scratch& s, Int8Softmax* state) {
  for (int64_t q = 0; q < kInt8Queries; ++q) {
    state->largest[q] = kNoScore;
    state->sum[q] = state->poison[q] = 0;
  }
  for (int64_t i = 0; i < kInt8Queries * s.columns; ++i) s.sums[i] = 0;
}

// Which keys of a block to visit: whole groups, so that cells of weights and of values begin with the range.
inline Range visited_keys(const AttentionPlan& plan, int64_t first_query, int64_t queries, int64_t key, int64_t keys) {
  // Where weights are lowered by kWeightZero, sums begin with the sums of a whole block's values.
  if (!plan.limited || kWeightZero != 0) return {0, keys};
  Range seen = keys_in_block(plan, first_query, queries, key, keys);
  seen.begin = seen.begin / kGroupKeys * kGroupKeys;
  seen.end = round_up(seen.end, kGroupKeys);
  return {seen.begin, seen.end < keys ? seen.end : keys};
}

// After a block: the sums so far and the block's become relative to the largest score of both.
inline void join_block(bool first, Int8Softmax* state) {
  for (int64_t q = 0; q < kInt8Queries; q += kLanes) {
    const F32 block_largest = F32::load(state->block_largest + q), block_sum = F32::load(state->block_sum + q);
    F32 poison = block_largest - block_largest;
    if (first) {
      block_largest.store(state->largest + q);
      block_sum.store(state->sum + q);
    } else {
      const F32 before = F32::load(state->largest + q), largest = max(before, block_largest);
      const F32 old = exp2_negative(before - largest), now = exp2_negative(block_largest - largest);
      largest.store(state->largest + q);
      fma(block_sum, now, F32::load(state->sum + q) * old).store(state->sum + q);
      old.store(state->before + q);
      now.store(state->now + q);
      poison = poison + F32::load(state->poison + q);
    }
    poison.store(state->poison + q);
  }
}

inline void attend_int8_tile(const AttentionPlan& plan, const Int8Scratch& s, float key_scale, int64_t first_query,
                             int64_t queries) {
  alignas(64) float scores[kInt8Queries * kKeyBlock];
  alignas(64) int32_t weights[kInt8Queries * kBlockCells];
  Int8Softmax state;
  float unusual[kInt8Queries];
  for (int64_t q = 0; q < queries; ++q) {
    const float scale = quantise_head(plan.queries + (first_query + q) * plan.stride, plan.head_size, kByteZero,
                                      s.queries + q * s.row_cells);
    state.scale[q] = scale * (plan.scale * kLog2E);
    const float most = state.scale[q] * key_scale;
    unusual[q] = most - most;
  }
  const int64_t rows = round_up(queries, kPieceRows);
  // The unused rows of a tile are computed, too.
  for (int64_t i = queries * s.row_cells; i < rows * s.row_cells; ++i) s.queries[i] = 0;
  for (int64_t i = queries * kBlockCells; i < rows * kBlockCells; ++i) weights[i] = 0;
  for (int64_t q = queries; q < kInt8Queries; ++q) state.block_largest[q] = state.block_sum[q] = 0;
  if (plan.limited) begin_with_nothing(s, &state);
  const Range blocks = blocks_of(plan, first_query, queries);
  for (int64_t k = blocks.begin; k < blocks.end; k += kKeyBlock) {
    const int64_t keys = plan.num_keys - k < kKeyBlock ? plan.num_keys - k : kKeyBlock;
    const Range mine = queries_of(plan, first_query, queries, k, keys);
    if (mine.begin == mine.end) continue;
    const Range seen = visited_keys(plan, first_query + mine.begin, mine.end - mine.begin, k, keys);
    int64_t p = seen.begin;
    for (; p + (kScorePanels - 1) * kPanel < seen.end; p += kScorePanels * kPanel) {
      score_panels<kScorePanels>(s, rows, k + p, scores + p);
    }
    for (; p < seen.end; p += kPanel) score_panels<1>(s, rows, k + p, scores + p);
    for (int64_t q = 0; plan.limited && q < queries; ++q) {
      put_unseen(plan, plan.first_query + first_query + q, k, seen, -__builtin_inff(), scores + q * kKeyBlock);
    }
    // Loops one after the other: in one loop each query would wait for its largest score.
    const int64_t padded = round_up(seen.end, kPanel) - seen.begin;
    float largest[kInt8Queries];
    for (int64_t q = 0; q < queries; ++q) largest[q] = largest_score(scores + q * kKeyBlock + seen.begin, padded);
    for (int64_t q = 0; q < queries; ++q) {
      if (q < mine.begin || q >= mine.end) largest[q] = 0;  // it sees none of them: no weight at all
    }
    for (int64_t q = 0; q < queries; ++q) {
      state.block_sum[q] = weigh_block(scores + q * kKeyBlock + seen.begin, padded, largest[q], state.scale[q],
                                       weights + q * kBlockCells + cells_of(seen.begin));
      state.block_largest[q] = q < mine.begin || q >= mine.end ? kNoScore : largest[q] * state.scale[q];
    }
    const bool first = k == 0 && !plan.limited;
    join_block(first, &state);
    int64_t c = 0;
    for (; c + kSumPanels * kPanel <= s.columns; c += kSumPanels * kPanel) {
      sum_panels<kSumPanels>(s, state, rows, weights, k, seen, first, c);
    }
    for (; c < s.columns; c += kPanel) sum_panels<1>(s, state, rows, weights, k, seen, first, c);
  }
  for (int64_t q = 0; q < queries; ++q) {
    const float share = 1.0f / state.sum[q] + (state.poison[q] + unusual[q]);
    const float* sums = s.sums + q * s.columns;
    float* out = plan.out + (first_query + q) * plan.out_stride;
    for_vectors(sums, plan.head_size, [&](F32 sum, int64_t first, int present) LFFN_INLINE {
      const F32 result = sum * F32::load(s.value_scales + first) * F32::set1(share);
      if (present == kLanes) return result.store(out + first);
      float last[kLanes];
      result.store(last);
      for (int i = 0; i < present; ++i) out[first + i] = last[i];
    });
  }
}

inline void attend_int8(const AttentionPlan& plan, void* scratch) {
  Parts parts(scratch);
  const Int8Scratch s = lay_out_int8(plan.num_keys, plan.head_size, parts);
  if (!plan.packed) {
    *s.largest_key_scale = pack_keys(plan, s);
    pack_values(plan, s);
    if (kWeightZero != 0) sum_values(s);
  }
  for (int64_t q = 0; q < plan.num_queries; q += kInt8Queries) {
    const int64_t queries = plan.num_queries - q < kInt8Queries ? plan.num_queries - q : kInt8Queries;
    attend_int8_tile(plan, s, *s.largest_key_scale, q, queries);
  }
}

}  // namespace
}  // namespace lffn
