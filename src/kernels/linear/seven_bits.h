// SPDX-License-Identifier: Apache-2.0
// Products of many rows of seven bits where the one instruction that multiplies bytes adds two products in int16 and
// saturates (AVX2 without VNNI). Two products with any weights fit, and four with most: the sums are exact, the same as
// by other ways.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/micro_kernel.h"
#include "kernels/linear/product.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

#if defined(LFFN_ADD_TWO_QUADS)

namespace lffn {
namespace {

struct TwosProduct;

// Four bytes of a row meet four of each output's weights in three instructions.
struct QuadsProduct : IntegerProduct<true> {
  static constexpr int64_t kDepth = 256;
  static constexpr bool kInTwos = true;
  static constexpr bool kSideBySide = false;
  using InTwos = TwosProduct;
};

// Which cells of a panel meet a row in twos, and which one by one. That depends on the weights.
struct CellsInTwos {
  // What weights of one sign may add up to in four products.
  static constexpr int16_t kMostOfSign = INT16_MAX / 127;
  const int32_t* weights;
  int64_t num_twos = 0, num_ones = 0;
  int32_t twos[QuadsProduct::kDepth / 2];  // the first of each two
  int32_t ones[QuadsProduct::kDepth];

  CellsInTwos(const int32_t* panel, int64_t cells) : weights(panel) {
    int64_t cell = 0;
    for (; cell + 2 <= cells; cell += 2) {
      I32 beyond = I32::set1(0);
      unroll<kPanelVectors>([&](auto v) LFFN_INLINE {
        const int32_t* at = weights + cell * kPanel + v * kLanes;
        beyond = beyond | beyond_sums(I32::load(at), I32::load(at + kPanel), kMostOfSign);
      });
      // Without a branch, which could not be predicted.
      const bool fit = !any_bit(beyond);
      twos[num_twos] = ones[num_ones] = static_cast<int32_t>(cell);
      ones[num_ones + 1] = static_cast<int32_t>(cell + 1);
      num_twos += fit ? 1 : 0;
      num_ones += fit ? 0 : 2;
    }
    if (cell < cells) ones[num_ones++] = static_cast<int32_t>(cell);
  }
};

// Two cells in five instructions.
struct TwosProduct : QuadsProduct {
  static constexpr int kAllFrom = 1;
  using Cells = CellsInTwos;
  using Weights = const Cells*;

  template <int kRows, int kVectors>
  LFFN_INLINE static void add_all(I32 (&sums)[kRows][kVectors], const int32_t* const (&rows)[kRows], int64_t,
                                  const Cells* cells, int64_t) {
    for (int64_t i = 0; i < cells->num_twos; ++i) {
      const int64_t cell = cells->twos[i];
      const int32_t* at = cells->weights + cell * kPanel;
      unroll<kRows>([&](auto r) LFFN_INLINE {
        const I32 one = I32::set1(rows[r][cell]), other = I32::set1(rows[r][cell + 1]);
        unroll<kVectors>([&](auto v) LFFN_INLINE {
          const I32 weights = I32::load(at + v * kLanes), others = I32::load(at + kPanel + v * kLanes);
          sums[r][v] = add_two_quads(sums[r][v], one, weights, other, others);
        });
      });
    }
    for (int64_t i = 0; i < cells->num_ones; ++i) {
      const int64_t cell = cells->ones[i];
      const int32_t* at = cells->weights + cell * kPanel;
      unroll<kRows>([&](auto r) LFFN_INLINE {
        const I32 numbers = I32::set1(rows[r][cell]);
        unroll<kVectors>([&](auto v)
                             LFFN_INLINE { sums[r][v] = add_quads(sums[r][v], numbers, I32::load(at + v * kLanes)); });
      });
    }
  }
};

}  // namespace
}  // namespace lffn

#endif
