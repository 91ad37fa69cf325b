// SPDX-License-Identifier: Apache-2.0
// Gathering int8 rows of small tables: a register holds the numbers that all rows of four tables have in one column.
// Each token, in a lane of its own, picks its four rows' numbers from it. The sums are those of gather_int8.
#pragma once

#include "kernels/gather/gather.h"

namespace lffn {
namespace {

constexpr int kPickVectors = 3;  // of tokens, whose sums fit the registers
constexpr int kLinesAhead = 64;  // to prefetch of the tables: no call finds all of a model's tables in a near cache

// kBlocks * kPickColumns columns of kVectors vectors of tokens: (sums * the tokens' scales + bias) as
// values[column][vector][token].
template <int kVectors, int kBlocks>
LFFN_INLINE inline void pick_columns(const GatherPlan& plan, int64_t groups, int64_t token, int64_t column,
                                     float* values) {
  constexpr int kColumns = kBlocks * kPickColumns;
  const PickOutput& picks = *plan.picks;
  const int64_t stride = picks.stride;
  const int32_t* codes = picks.codes + token;
  const int32_t* scores = picks.scores + token;
  const auto* registers = reinterpret_cast<const int32_t*>(plan.tables + column * groups * kLineBytes);
  const int64_t block = groups * kPickColumns * kLanes;
  I32 sums[kVectors][kColumns];
  unroll<kVectors>([&](auto v)
                       LFFN_INLINE { unroll<kColumns>([&](auto c) LFFN_INLINE { sums[v][c] = I32::set1(0); }); });
  for (int64_t g = 0; g < groups; ++g, codes += stride, scores += stride, registers += kPickColumns * kLanes) {
    I32 index[kVectors], score[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      index[v] = I32::load(codes + v * kLanes);
      score[v] = I32::load(scores + v * kLanes);
    });
    unroll<kColumns>([&](auto c) LFFN_INLINE {
      const int32_t* at = registers + c / kPickColumns * block + c % kPickColumns * kLanes;
      __builtin_prefetch(at + kLinesAhead * kLanes);
      const I32 numbers = I32::load(at);
      unroll<kVectors>(
          [&](auto v) LFFN_INLINE { sums[v][c] = dot_quads(sums[v][c], score[v], pick_bytes(numbers, index[v])); });
    });
  }
  unroll<kVectors>([&](auto v) LFFN_INLINE {
    const F32 scale = F32::load(picks.score_byte_scales + token + v * kLanes);
    unroll<kColumns>([&](auto c) LFFN_INLINE {
      const F32 value = fma(scale, to_float(sums[v][c]), F32::set1(plan.bias[column + c]));
      value.store(values + (c * kVectors + v) * kLanes);
    });
  });
}

// A panel of columns of kVectors vectors of tokens.
template <int kVectors>
LFFN_INLINE inline void pick_panel(const GatherPlan& plan, int64_t groups, int64_t token, int64_t column) {
  constexpr int kBlocks = kVectors == 1 ? 2 : 1, kColumns = kBlocks * kPickColumns;
  alignas(64) float values[kPanel * kVectors * kLanes];
  for (int64_t c = 0; c < kPanel; c += kColumns) {
    pick_columns<kVectors, kBlocks>(plan, groups, token, column + c, values + c * kVectors * kLanes);
  }
  const bool whole = !plan.add && column + kPanel <= plan.y_columns;
  for (int v = 0; v < kVectors; ++v, token += kLanes) {
    const float* columns = values + v * kLanes;
    if (whole && token + kLanes <= plan.num_tokens) {
      native_transpose(columns, kVectors * kLanes, plan.y + token * plan.y_stride + column, plan.y_stride);
      continue;
    }
    alignas(64) float rows[kLanes * kPanel];
    native_transpose(columns, kVectors * kLanes, rows, kPanel);
    for (int64_t t = 0; t < kLanes && token + t < plan.num_tokens; ++t) {
      put(plan, token + t, column, F32::load(rows + t * kPanel));
    }
  }
}

// The tables are read once, in order: all tokens meet a panel of columns while it is near.
inline void gather_picked(const GatherPlan& plan) {
  static_assert(kLanes == kPickRows && kPanel == kLanes, "a column of a group is a register");
  const int64_t groups = (plan.num_tables + kEntryGroup - 1) / kEntryGroup;
  for (int64_t column = 0; column < plan.y_columns; column += kPanel) {
    int64_t token = 0;
    for (int64_t left = plan.num_tokens; left > 0;) {
      // Four vectors are taken as two pairs.
      const int64_t vectors = (left + kLanes - 1) / kLanes;
      const int64_t now = vectors == kPickVectors + 1 ? 2 : vectors < kPickVectors ? vectors : kPickVectors;
      if (now == 3) {
        pick_panel<3>(plan, groups, token, column);
      } else if (now == 2) {
        pick_panel<2>(plan, groups, token, column);
      } else {
        pick_panel<1>(plan, groups, token, column);
      }
      token += now * kLanes;
      left -= now * kLanes;
    }
  }
}

}  // namespace
}  // namespace lffn
