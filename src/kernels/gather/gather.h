// SPDX-License-Identifier: Apache-2.0
// Adding up the chosen rows, a token at a time. The order of the sum is that of the tables.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

constexpr int kLineBytes = 64;  // a cache line

// At most so many rows are added together, while as many others are prefetched: both should fit the nearest cache.
constexpr int64_t kMostRows = 16;
constexpr int64_t kRowsBytes = 16384;

// Some rows of a token.
struct ChosenRows {
  const uint8_t* at[kMostRows];  // padded with any row to whole groups
  int64_t token;
  int64_t first, count;  // entries
};

// Calls add(rows, ahead) for all entries of one token after the other. `ahead` are the rows of the next call. `add`
// should prefetch them piece by piece: by then they will be in the nearest cache, whichever table or token they belong
// to.
template <int kElementBytes, typename Add>
inline void for_rows(const GatherPlan& plan, Add&& add) {
  const int64_t table_bytes = plan.table_bytes, row_bytes = plan.row_bytes, stride = plan.stride;
  const int64_t probes = plan.num_probes, entries = plan.num_tables * probes;
  int64_t most = kMostRows;
  while (most > kEntryGroup && most * plan.columns * kElementBytes > kRowsBytes) most /= 2;
  // All calls are about equally large, so that each prefetches all rows of the next.
  const int64_t calls = (entries + most - 1) / most;
  const int64_t size = ((entries + calls - 1) / calls + kEntryGroup - 1) / kEntryGroup * kEntryGroup;

  const auto find = [&](int64_t token, int64_t first, ChosenRows* rows) LFFN_INLINE {
    const int64_t count = entries - first < size ? entries - first : size;
    const uint16_t* codes = plan.codes + token * stride + first;
    rows->token = token;
    rows->first = first;
    rows->count = count;
    if (probes == 1) {
      const uint8_t* table = plan.tables + first * table_bytes;
      for (int64_t i = 0; i < count; ++i, table += table_bytes) rows->at[i] = table + codes[i] * row_bytes;
    } else {
      for (int64_t i = 0; i < count; ++i) {
        rows->at[i] = plan.tables + (first + i) / probes * table_bytes + codes[i] * row_bytes;
      }
    }
    for (int64_t i = count; i < size; ++i) rows->at[i] = plan.tables;
  };
  ChosenRows lists[2];
  find(0, 0, &lists[0]);
  for (int64_t i = 0; i < lists[0].count; ++i) {
    for (int64_t b = 0; b < plan.columns * kElementBytes; b += kLineBytes) __builtin_prefetch(lists[0].at[i] + b);
  }
  for (int now = 0;; now = 1 - now) {
    const ChosenRows& rows = lists[now];
    ChosenRows& ahead = lists[1 - now];
    const bool token_ends = rows.first + rows.count == entries;
    const bool ends = token_ends && rows.token + 1 == plan.num_tokens;
    if (!ends) find(token_ends ? rows.token + 1 : rows.token, token_ends ? 0 : rows.first + rows.count, &ahead);
    add(rows, ends ? rows : ahead);
    if (ends) return;
  }
}

// Writes or adds a vector of a token's results, or the part of it that y has columns for.
inline void put(const GatherPlan& plan, int64_t token, int64_t column, F32 value) {
  float* y = plan.y + token * plan.y_stride + column;
  if (column + kLanes <= plan.y_columns) {
    (plan.add ? F32::load(y) + value : value).store(y);
    return;
  }
  float values[kLanes];
  value.store(values);
  for (int i = 0; column + i < plan.y_columns; ++i) y[i] = plan.add ? y[i] + values[i] : values[i];
}

#if defined(__AVX512F__)
constexpr int64_t kPiece = 256;  // columns whose sums fit the registers
#else
constexpr int64_t kPiece = 64;
#endif

// add(columns, column) for pieces of a row: as many of kPiece columns as there are, then the rest by halves.
template <int64_t kColumns, int64_t kSmallest, typename Add>
LFFN_INLINE inline void for_pieces(int64_t columns, int64_t column, Add&& add) {
  for (; column + kColumns <= columns; column += kColumns) add(Constant<static_cast<int>(kColumns)>(), column);
  if constexpr (kColumns > kSmallest) {
    if (column < columns) for_pieces<kColumns / 2, kSmallest>(columns, column, add);
  }
}

// add_part(row, v, score, sum) gives sum plus score times the v-th vector of a piece.
template <int kColumns, int kElementBytes, typename AddPart>
LFFN_INLINE inline void add_piece(const GatherPlan& plan, const ChosenRows& rows, const ChosenRows& ahead,
                                  int64_t column, float* sums, AddPart&& add_part) {
  constexpr int kVectors = kColumns / kLanes;
  const float* from = rows.first == 0 ? plan.bias + column : sums;
  const float* scores = plan.scores + rows.token * plan.stride + rows.first;
  const int64_t offset = column * kElementBytes;
  F32 running[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { running[v] = F32::load(from + v * kLanes); });
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int b = 0; b < kColumns * kElementBytes; b += kLineBytes) __builtin_prefetch(ahead.at[i] + offset + b);
    const F32 score = F32::set1(scores[i]);
    const uint8_t* row = rows.at[i] + offset;
    unroll<kVectors>([&](auto v) LFFN_INLINE { running[v] = add_part(row, v, score, running[v]); });
  }
  if (rows.first + rows.count < int64_t{plan.num_tables} * plan.num_probes) {
    unroll<kVectors>([&](auto v) LFFN_INLINE { running[v].store(sums + v * kLanes); });
  } else {
    unroll<kVectors>([&](auto v) LFFN_INLINE { put(plan, rows.token, column + v * kLanes, running[v]); });
  }
}

// bf16: a cell of 32 bits holds column i in its lower and i + 16 in its upper half.
inline void gather_bf16(const GatherPlan& plan) {
  alignas(64) float sums[kMaxColumns];
  for_rows<2>(plan, [&](const ChosenRows& rows, const ChosenRows& ahead) LFFN_INLINE {
    for_pieces<kPiece, kColumnsBf16>(plan.columns, 0, [&](auto columns, int64_t column) LFFN_INLINE {
      add_piece<columns, 2>(
          plan, rows, ahead, column, sums + column, [](const uint8_t* row, int v, F32 score, F32 sum) LFFN_INLINE {
            const int within = v * kLanes % 32;
            const I32 cells = I32::load(reinterpret_cast<const int32_t*>(row) + v * kLanes / 32 * 16 + within % 16);
            const I32 bits = within < 16 ? shift_left<16>(cells) : cells & I32::set1(static_cast<int32_t>(0xffff0000));
            return fma(score, from_bits(bits), sum);
          });
    });
  });
}

}  // namespace
}  // namespace lffn
