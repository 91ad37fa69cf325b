// SPDX-License-Identifier: Apache-2.0
// Gathering int8 rows: four tables' rows at a time, in integers, which are the same on every instruction set.
#pragma once

#include "kernels/gather/gather.h"
#include "kernels/simd/rounding.h"

namespace lffn {
namespace {

// interleave_rows changes the order of the columns; the rows are stored so that they come out in order.
inline int32_t int8_position(int32_t column) {
  const int32_t unit = column / (4 * kLanes), within = column % (4 * kLanes);
  const int32_t vector = within / kLanes, lane = within % kLanes;
  return unit * 4 * kLanes + lane / 4 * 16 + vector * 4 + lane % 4;
}

// The place of a column's sum among the sums of add_piece_scores, which makes a vector of them for each byte of the
// cells.
inline int32_t cell_place(int32_t column) {
  const int32_t byte = int8_position(column), unit = byte / (4 * kLanes), within = byte % (4 * kLanes);
  return unit * 4 * kLanes + within % 4 * kLanes + within / 4;
}

template <int kColumns>
LFFN_INLINE inline void add_piece_int8(const GatherPlan& plan, const ChosenRows& rows, const ChosenRows& ahead,
                                       int64_t column, int32_t* sums, float* floats) {
  constexpr int kUnits = kColumns / (4 * kLanes), kSums = kColumns / kLanes;
  const uint8_t* score_bytes = plan.score_bytes + rows.token * plan.stride + rows.first;
  const bool from_zero = rows.first % kTablesInt8 == 0;
  I32 running[kSums];
  unroll<kSums>([&](auto v) LFFN_INLINE { running[v] = from_zero ? I32::set1(0) : I32::load(sums + v * kLanes); });
  for (int64_t i = 0; i < rows.count; i += kEntryGroup) {
    const uint8_t* four_rows[kEntryGroup];
    unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
      four_rows[e] = rows.at[i + e] + column;
      for (int b = 0; b < kColumns; b += kLineBytes) __builtin_prefetch(ahead.at[i + e] + column + b);
    });
    int32_t cell;
    __builtin_memcpy(&cell, score_bytes + i, sizeof cell);
    const I32 four = I32::set1(cell);
    unroll<kUnits>([&](auto u) LFFN_INLINE {
      I32 bytes[kEntryGroup], cells[kEntryGroup];
      unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
        bytes[e] = I32::load(reinterpret_cast<const int32_t*>(four_rows[e] + u * 4 * kLanes));
      });
      interleave_rows(bytes, cells);
      unroll<4>([&](auto w) LFFN_INLINE { running[u * 4 + w] = dot_quads(running[u * 4 + w], four, cells[w]); });
    });
  }
  const int64_t done = rows.first + rows.count;
  const bool ends = done == plan.num_tables;
  if (!ends && done % kTablesInt8 != 0) {
    unroll<kSums>([&](auto v) LFFN_INLINE { running[v].store(sums + v * kLanes); });
    return;
  }
  const F32 scale = F32::set1(plan.score_byte_scales[rows.token]);
  const float* base = done <= kTablesInt8 ? plan.bias + column : floats;
  unroll<kSums>([&](auto v) LFFN_INLINE {
    const F32 value = fma(scale, to_float(running[v]), F32::load(base + v * kLanes));
    if (ends) {
      put(plan, rows.token, column + v * kLanes, value);
    } else {
      value.store(floats + v * kLanes);
    }
  });
}

inline void gather_int8(const GatherPlan& plan) {
  alignas(64) int32_t sums[kMaxColumns];
  alignas(64) float floats[kMaxColumns];
  for_rows<1>(plan, [&](const ChosenRows& rows, const ChosenRows& ahead) LFFN_INLINE {
    for_pieces<kPiece, kColumnsInt8>(plan.columns, 0, [&](auto columns, int64_t column) LFFN_INLINE {
      add_piece_int8<columns>(plan, rows, ahead, column, sums + column, floats + column);
    });
  });
}

// Several probes: their scores may be negative, so the sums are floats. One load of cells has a unit of columns. Each
// of the unit's four vectors of sums belongs to one byte of the cells.
template <int kColumns>
LFFN_INLINE inline void add_piece_scores(const GatherPlan& plan, const ChosenRows& rows, const ChosenRows& ahead,
                                         int64_t column, float* sums) {
  constexpr int kSums = kColumns / kLanes;
  const int64_t at = rows.token * plan.stride + rows.first;
  F32 running[kSums];
  float columns[kColumns];  // the sums in the order of the bytes
  if (rows.first == 0) {
    for (int i = 0; i < kColumns; ++i) columns[cell_place(i)] = plan.bias[column + i];
  }
  unroll<kSums>([&](auto v) LFFN_INLINE { running[v] = F32::load((rows.first == 0 ? columns : sums) + v * kLanes); });
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int b = 0; b < kColumns; b += kLineBytes) __builtin_prefetch(ahead.at[i] + column + b);
    const int64_t table = (rows.first + i) / plan.num_probes;
    const F32 weight = F32::set1(plan.scores[at + i] * plan.row_scales[table * plan.table_size + plan.codes[at + i]]);
    const int32_t* row = reinterpret_cast<const int32_t*>(rows.at[i] + column);
    unroll<kSums / 4>([&](auto u) LFFN_INLINE {
      const I32 cells = I32::load(row + u * kLanes);
      unroll_constants<4>([&](auto b) LFFN_INLINE {
        const I32 high = shift_left<24 - 8 * b>(cells) & I32::set1(static_cast<int32_t>(0xff000000));
        const F32 value = to_float(high) * F32::set1(1.0f / (1 << 24));
        running[u * 4 + b] = fma(weight, value, running[u * 4 + b]);
      });
    });
  }
  if (rows.first + rows.count < int64_t{plan.num_tables} * plan.num_probes) {
    unroll<kSums>([&](auto v) LFFN_INLINE { running[v].store(sums + v * kLanes); });
    return;
  }
  unroll<kSums>([&](auto v) LFFN_INLINE { running[v].store(columns + v * kLanes); });
  for (int c = 0; c < kColumns; c += kLanes) {
    float in_order[kLanes];
    for (int i = 0; i < kLanes; ++i) in_order[i] = columns[cell_place(c + i)];
    put(plan, rows.token, column + c, F32::load(in_order));
  }
}

inline void gather_int8_scores(const GatherPlan& plan) {
  alignas(64) float sums[kMaxColumns];
  for_rows<1>(plan, [&](const ChosenRows& rows, const ChosenRows& ahead) LFFN_INLINE {
    for_pieces<kPiece, kColumnsInt8>(plan.columns, 0, [&](auto columns, int64_t column) LFFN_INLINE {
      add_piece_scores<columns>(plan, rows, ahead, column, sums + column);
    });
  });
}

// Scores up to `most` become numbers from 0 to 127. In this order: what a step is worth, how many steps 1 is, and a
// score in steps.
inline F32 score_byte_scale(F32 most) { return most / F32::set1(127.0f); }
inline F32 score_byte_step(F32 most) { return F32::set1(127.0f) / most; }
inline I32 score_byte(F32 score, F32 step) { return bits(score * step + F32::set1(kRoundInLowBits)) & I32::set1(127); }

// Scores times their rows' scales, as numbers from 0 to 127 that are multiples of the token's scale.
inline void quantise_scores(const HashOutput& hashed, int32_t num_tables, const float* row_scales, int32_t table_size,
                            int32_t num_tokens, uint8_t* bytes, float* score_byte_scales) {
  for (int32_t t = 0; t < num_tokens; ++t, bytes += hashed.stride) {
    float* scores = hashed.scores + t * hashed.stride;
    const uint16_t* codes = hashed.codes + t * hashed.stride;
    for (int32_t k = 0; k < num_tables; ++k) {
      scores[k] = scores[k] * row_scales[static_cast<int64_t>(k) * table_size + codes[k]];
    }
    // The stride leaves room for whole vectors.
    for (int32_t k = num_tables; k % kLanes != 0; ++k) scores[k] = 0;
    // As integers, magnitudes keep their order, and NaN is the largest: it must reach the scale. Its sign may be set.
    I32 high = I32::set1(0);
    for (int32_t k = 0; k < num_tables; k += kLanes) high = max(high, bits(abs(F32::load(scores + k))));
    const int32_t largest = largest_lane(high);
    float most;
    __builtin_memcpy(&most, &largest, sizeof most);
    score_byte_scales[t] = first_lane(score_byte_scale(F32::set1(most)));
    const F32 step = largest > 0 ? score_byte_step(F32::set1(most)) : F32::set1(0);
    for (int32_t k = 0; k < num_tables; k += kLanes) store_u8(score_byte(F32::load(scores + k), step), bytes + k);
    for (int32_t k = num_tables; k % kEntryGroup != 0; ++k) bytes[k] = 0;
  }
}

}  // namespace
}  // namespace lffn
