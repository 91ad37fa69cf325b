// SPDX-License-Identifier: Apache-2.0
// Adding up slabs of float32 rows. Where many tokens want nearly every row, a few tables at a time stay in the cache
// while all tokens read them. The order of each token's sum is that of the tables.
#pragma once

#include "kernels/gather/gather.h"

namespace lffn {
namespace {

// sum plus score times a vector of a row of floats.
LFFN_INLINE inline F32 add_floats(const uint8_t* row, int v, F32 score, F32 sum) {
  return fma(score, F32::load(reinterpret_cast<const float*>(row) + v * kLanes), sum);
}

// How many tables ahead rows that are in no near cache are prefetched.
constexpr int32_t kTablesAhead = 8;

// Where a whole slab is few vectors, two tokens at once hide the latency of the additions.
constexpr int kTokensAtOnce = kSlabColumns / kLanes <= 4 ? 2 : 1;

// Adds the rows of `count` tables to the sums. The `next_bytes` that follow these tables are prefetched meanwhile.
// kCold: the tables' rows are in no near cache.
template <int kColumns, bool kCold>
inline void add_some_tables(const GatherPlan& plan, int64_t column, float* sums, int32_t first, int32_t count,
                            int64_t next_bytes) {
  constexpr int kVectors = kColumns / kLanes;
  // Copies, since the compiler must assume that storing sums may change the plan.
  const int64_t table_bytes = plan.table_bytes, row_bytes = plan.row_bytes, stride = plan.stride;
  const int64_t tokens = plan.num_tokens, sums_stride = plan.columns;
  const int32_t probes = plan.num_probes;
  const bool begins = first == 0, ends = first + count == plan.num_tables;
  const uint8_t* const tables = plan.tables + first * table_bytes + column * 4;
  const uint16_t* codes = plan.codes + int64_t{first} * probes;
  const float* scores = plan.scores + int64_t{first} * probes;
  // A few lines of the next tables with each token, so that their first reader does not wait for memory.
  const uint8_t* next = plan.tables + (first + count) * table_bytes;
  const int64_t lines = (next_bytes / kLineBytes + tokens - 1) / tokens;

  const auto run = [&](int64_t token, auto at_once) LFFN_INLINE {
    constexpr int kTokens = decltype(at_once)::value;
    F32 running[kTokens][kVectors];
    unroll<kTokens>([&](auto i) LFFN_INLINE {
      const float* from = begins ? plan.bias + column : sums + i * sums_stride;
      unroll<kVectors>([&](auto v) LFFN_INLINE { running[i][v] = F32::load(from + v * kLanes); });
    });
    for (int64_t i = 0; i < kTokens * lines; ++i, next += kLineBytes) __builtin_prefetch(next, 0, 2);
    const uint8_t* table = tables;
    const auto add_entry = [&](int64_t entry) LFFN_INLINE {
      const uint8_t* rows[kTokens];
      F32 weights[kTokens];
      unroll<kTokens>([&](auto i) LFFN_INLINE {
        rows[i] = table + codes[i * stride + entry] * row_bytes;
        weights[i] = F32::set1(scores[i * stride + entry]);
      });
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        unroll<kTokens>([&](auto i) LFFN_INLINE { running[i][v] = add_floats(rows[i], v, weights[i], running[i][v]); });
      });
    };
    int32_t k = 0;
    if (probes == 1) {
      for (; k + kEntryGroup <= count; k += kEntryGroup) {
        if (kCold && k + kTablesAhead + kEntryGroup <= count) {
          for (int64_t e = kTablesAhead; e < kTablesAhead + kEntryGroup; ++e) {
            for (int i = 0; i < kTokens; ++i) {
              const uint8_t* row = table + e * table_bytes + codes[i * stride + k + e] * row_bytes;
              for (int b = 0; b < kColumns * 4; b += kLineBytes) __builtin_prefetch(row + b);
            }
          }
        }
        unroll<kEntryGroup>([&](auto e) LFFN_INLINE {
          add_entry(k + e);
          table += table_bytes;
        });
      }
    }
    for (; k < count; ++k, table += table_bytes) {
      for (int64_t p = 0; p < probes; ++p) add_entry(int64_t{k} * probes + p);
    }
    unroll<kTokens>([&](auto i) LFFN_INLINE {
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        if (ends) {
          put(plan, token + i, column + v * kLanes, running[i][v]);
        } else {
          running[i][v].store(sums + i * sums_stride + v * kLanes);
        }
      });
    });
    codes += kTokens * stride;
    scores += kTokens * stride;
    sums += kTokens * sums_stride;
  };
  constexpr int kAtOnce = kColumns == kSlabColumns ? kTokensAtOnce : 1;
  int64_t token = 0;
  for (; token + kAtOnce <= tokens; token += kAtOnce) run(token, Constant<kAtOnce>());
  if constexpr (kAtOnce > 1) {
    for (; token < tokens; ++token) run(token, Constant<1>());
  }
}

inline void gather_f32(const GatherPlan& plan) {
  if (kTokensAtOnce > 1 && plan.num_tokens > 1 && plan.columns == kSlabColumns) {
    add_some_tables<kSlabColumns, true>(plan, 0, plan.sums, 0, plan.num_tables, 0);
    return;
  }
  alignas(64) float sums[kSlabColumns];
  for_rows<4>(plan, [&](const ChosenRows& rows, const ChosenRows& ahead) LFFN_INLINE {
    for_pieces<kSlabColumns, kColumnsF32>(plan.columns, 0, [&](auto columns, int64_t column) LFFN_INLINE {
      add_piece<columns, 4>(plan, rows, ahead, column, sums + column, add_floats);
    });
  });
}

inline void gather_f32_many(const GatherPlan& plan) {
  for_pieces<kSlabColumns, kColumnsF32>(plan.columns, 0, [&](auto columns, int64_t column) LFFN_INLINE {
    for (int32_t first = 0; first < plan.num_tables; first += plan.tables_at_once) {
      const int32_t left = plan.num_tables - first, count = left < plan.tables_at_once ? left : plan.tables_at_once;
      const int32_t next = left - count < count ? left - count : count;
      add_some_tables<columns, false>(plan, column, plan.sums + column, first, count, next * plan.table_bytes);
    }
  });
}

}  // namespace
}  // namespace lffn
