// SPDX-License-Identifier: Apache-2.0
// Rows that lie anywhere in memory, each with a few queries: as fast as the rows can be read.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/two_vectors.h"
#include "kernels/search/search_plans.h"
#include "kernels/simd/reduce.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// Queries and rows whose sums are in registers at once. One query takes one row at a time, so that memory is read in
// order: with four rows at once the processor prefetches less and reads a third slower.
#if defined(__AVX512F__)
constexpr int kScanQueries = 4, kScanRows = 4;
#elif defined(__AVX2__) || defined(__aarch64__)
constexpr int kScanQueries = 3, kScanRows = 2;
#else
constexpr int kScanQueries = 1, kScanRows = 1;
#endif

// partial[query][kPanel][kPartialSums] of kRows rows: number i of a row goes into its sum i % kPartialSums.
template <int kQueries, int kRows>
inline void add_partial(const float* queries, int64_t query_stride, const uint8_t* const* rows, int64_t size,
                        int64_t ahead, float* partial) {
  const bool squares = kQueries * kRows == 1 && queries == nullptr;
  constexpr int kVectors = kPartialSums / kLanes;
  F32 sums[kQueries][kRows][kVectors];
  unroll<kQueries>([&](auto q) LFFN_INLINE {
    unroll<kRows>([&](auto r) LFFN_INLINE { unroll<kVectors>([&](auto v) { sums[q][r][v] = F32::set1(0); }); });
  });
  const auto add = [&](const float* with, const uint8_t* const* from, int64_t offset) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      F32 shared[kQueries];
      unroll<kQueries>([&](auto q) LFFN_INLINE { shared[q] = keep(F32::load(with + q * query_stride + v * kLanes)); });
      unroll<kRows>([&](auto r) LFFN_INLINE {
        const F32 row = F32::load(reinterpret_cast<const float*>(from[r] + 4 * offset) + v * kLanes);
        unroll<kQueries>([&](auto q) LFFN_INLINE { sums[q][r][v] = fma(row, shared[q], sums[q][r][v]); });
      });
    });
  };
  int64_t at = 0;
  for (; at + kPartialSums <= size; at += kPartialSums) {
    if constexpr (kRows == 1) __builtin_prefetch(rows[0] + 4 * at + ahead);
    add(squares ? reinterpret_cast<const float*>(rows[0] + 4 * at) : queries + at, rows, at);
  }
  if (at < size) {
    float last[kRows][kPartialSums] = {};
    const uint8_t* lasts[kRows];
    for (int r = 0; r < kRows; ++r) {
      __builtin_memcpy(last[r], rows[r] + 4 * at, static_cast<size_t>(4 * (size - at)));
      lasts[r] = reinterpret_cast<const uint8_t*>(last[r]);
    }
    add(squares ? last[0] : queries + at, lasts, 0);
  }
  unroll<kQueries>([&](auto q) LFFN_INLINE {
    unroll<kRows>([&](auto r) LFFN_INLINE {
      unroll<kVectors>(
          [&](auto v) LFFN_INLINE { sums[q][r][v].store(partial + (q * kPanel + r) * kPartialSums + v * kLanes); });
    });
  });
}

// The sums of some rows' partial sums, in one order.
__attribute__((noinline)) inline void add_up(float* partial, int64_t rows, float* sums) {
  reduce_rows(partial, rows, [&](F32* columns, int64_t row) LFFN_INLINE {
    for (int half = kPartialSums / 2; half > 0; half /= 2) {
      for (int p = 0; p < half; ++p) columns[p] = columns[p] + columns[p + half];
    }
    columns[0].store(sums + row);
  });
}

template <int kQueries, int kRows>
inline void scan_floats(const ScanPlan& plan, int64_t query) {
  float partial[kQueries * kPanel * kPartialSums];
  const int64_t stride = plan.query_stride / 4;
  const float* const queries =
      plan.queries == nullptr ? nullptr : reinterpret_cast<const float*>(plan.queries) + query * stride;
  for (int64_t first = 0; first < plan.num_rows; first += kPanel) {
    const int64_t count = plan.num_rows - first < kPanel ? plan.num_rows - first : kPanel;
    for (int64_t r = 0; r < count; r += kRows) {
      const uint8_t* rows[kRows];  // the last one again where there are fewer
      for (int64_t i = 0; i < kRows; ++i) rows[i] = plan.rows[first + (r + i < count ? r + i : count - 1)];
      add_partial<kQueries, kRows>(queries, stride, rows, plan.size, plan.ahead, partial + r * kPartialSums);
    }
    for (int q = 0; q < kQueries; ++q) {
      add_up(partial + q * kPanel * kPartialSums, count,
             reinterpret_cast<float*>(plan.sums) + (query + q) * plan.stride + first);
    }
  }
}

inline void scan_f32(const ScanPlan& plan) {
  int64_t query = 0;
  if constexpr (kScanQueries > 1) {
    for (; query + kScanQueries <= plan.num_queries; query += kScanQueries) {
      scan_floats<kScanQueries, kScanRows>(plan, query);
    }
  }
  for (; query < plan.num_queries; ++query) scan_floats<1, 1>(plan, query);
}

// Exact, so that any order gives the same: products of at most 2^14, at most 2^16 of them. kSquares: each row meets
// itself, too, and the sums go to `squares`.
template <bool kSquares>
inline void scan_bytes(const ScanPlan& plan, const int8_t* query, int32_t* to, int32_t* squares) {
  constexpr int kVectors = 2;
  constexpr int64_t kStep = kVectors * 2 * kLanes;
  for (int64_t r = 0; r < plan.num_rows; ++r) {
    const auto* const row = reinterpret_cast<const int8_t*>(plan.rows[r]);
    I32 sums[kVectors], own[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE { sums[v] = own[v] = I32::set1(0); });
    const auto add = [&](const int8_t* from, const int8_t* with) LFFN_INLINE {
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        const I32 numbers = load_pairs(from + v * 2 * kLanes);
        sums[v] = dot_pairs(sums[v], numbers, load_pairs(with + v * 2 * kLanes));
        if constexpr (kSquares) own[v] = dot_pairs(own[v], numbers, numbers);
      });
    };
    int64_t at = 0;
    for (; at + kStep <= plan.size; at += kStep) {
      __builtin_prefetch(row + at + plan.ahead);
      add(row + at, (query == nullptr ? row : query) + at);
    }
    if (at < plan.size) {
      int8_t last[kStep] = {};
      __builtin_memcpy(last, row + at, static_cast<size_t>(plan.size - at));
      add(last, query == nullptr ? last : query + at);
    }
    to[r] = lane_sum(sums[0] + sums[1]);
    if constexpr (kSquares) squares[r] = lane_sum(own[0] + own[1]);
  }
}

// From sums of squares to lengths, infinity where they are 0.
inline void find_lengths(float* squares, int64_t count) {
  const I32 infinity = I32::set1(0x7f800000);
  for (int64_t i = 0; i < count; i += kLanes) {
    const F32 sums = to_float(I32::load(reinterpret_cast<const int32_t*>(squares + i)));
    sqrt(sums).store(squares + i);
    auto* const bits = reinterpret_cast<int32_t*>(squares + i);
    (I32::load(bits) | (infinity & (positive(sums) ^ I32::set1(-1)))).store(bits);
  }
}

inline void scan_int8(const ScanPlan& plan) {
  for (int64_t q = 0; q < plan.num_queries; ++q) {
    const auto* const query =
        plan.queries == nullptr ? nullptr : reinterpret_cast<const int8_t*>(plan.queries + q * plan.query_stride);
    int32_t* const to = reinterpret_cast<int32_t*>(plan.sums) + q * plan.stride;
    if (q == 0 && plan.lengths != nullptr) {
      scan_bytes<true>(plan, query, to, reinterpret_cast<int32_t*>(plan.lengths));
      find_lengths(plan.lengths, plan.num_rows);
    } else {
      scan_bytes<false>(plan, query, to, nullptr);
    }
  }
}

}  // namespace
}  // namespace lffn
