// SPDX-License-Identifier: Apache-2.0
// Rows of int8 with many queries, which lie in the lanes: a row's numbers are shared by all lanes, four or two at a
// time. Exact, so that the sums are those of scan_int8.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/micro_kernel.h"
#include "kernels/linear/quantise.h"
#include "kernels/search/search_plans.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// How many vectors of a group's queries, and how many of kManyRows rows, are summed in registers at once.
#if defined(__AVX512F__)
constexpr int kManyVectors = 2, kManyBlock = 12;
#elif defined(__AVX2__) && !defined(LFFN_GENERIC)
constexpr int kManyVectors = 2, kManyBlock = 6;
#elif defined(__aarch64__)
constexpr int kManyVectors = 4, kManyBlock = 6;
#else
constexpr int kManyVectors = 4, kManyBlock = 3;
#endif

// A row's cells as the products want them, with zeros after the last number.
inline void lay_cells(const uint8_t* row, int64_t size, int32_t* cells) {
  constexpr int64_t kStep = kCellInputs * kLanes;
  const auto lay = [&](const uint8_t* from) LFFN_INLINE {
    I32 vector;
    if constexpr (kByteDot) {
      vector = I32::load(reinterpret_cast<const int32_t*>(from)) ^ I32::set1(kRaised);
    } else {
      vector = load_pairs(reinterpret_cast<const int8_t*>(from));
    }
    vector.store(cells);
    cells += kLanes;
  };
  int64_t at = 0;
  for (; at + kStep <= size; at += kStep) lay(row + at);
  if (at == size) return;
  uint8_t last[kStep] = {};
  __builtin_memcpy(last, row + at, static_cast<size_t>(size - at));
  lay(last);
}

inline void multiply_many(const ManyPlan& plan) {
  using Product = IntegerProduct<kByteDot>;
  constexpr int64_t kPart = kManyVectors * kLanes;
  const int64_t cells = cells_of(plan.size), room_stride = many_cells(plan.size, kCellInputs);
  for (int64_t first = 0; first < plan.num_rows; first += kManyRows) {
    const int64_t rows = plan.num_rows - first < kManyRows ? plan.num_rows - first : kManyRows;
    for (int64_t r = 0; r < rows; ++r) lay_cells(plan.rows[first + r], plan.size, plan.room + r * room_stride);
    for (int64_t query = 0; query < plan.num_queries; query += kPart) {
      const int64_t group = query / kQueryGroup * kQueryGroup;
      const int32_t* const queries = plan.queries + group * cells + (query - group);
      for (int64_t block = 0; block < rows; block += kManyBlock) {
        // Cells behind the last row may be left over from earlier rows: their sums are not stored.
        const int32_t* const from = plan.room + block * room_stride;
        I32 sums[kManyBlock][kManyVectors];
        unroll<kManyBlock>([&](auto r) LFFN_INLINE {
          unroll<kManyVectors>([&](auto v) LFFN_INLINE {
            sums[r][v] = I32::set1(0) - I32::load(plan.corrections + query + v * kLanes);
          });
        });
        for (int64_t cell = 0; cell < cells; ++cell) {
          add_products<Product, kManyBlock, kManyVectors>(
              sums, [&](auto v) LFFN_INLINE { return keep(I32::load(queries + cell * kQueryGroup + v * kLanes)); },
              [&](auto r, auto) LFFN_INLINE { return I32::set1(from[r * room_stride + cell]); });
        }
        int32_t* to = plan.sums + (first + block) * plan.stride + query;
        unroll<kManyBlock>([&](auto r) LFFN_INLINE {
          if (block + r >= rows) return;
          unroll<kManyVectors>([&](auto v) LFFN_INLINE { settled(sums[r][v]).store(to + v * kLanes); });
          to += plan.stride;
        });
      }
    }
  }
}

}  // namespace
}  // namespace lffn
