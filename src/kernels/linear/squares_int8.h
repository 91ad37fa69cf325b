// SPDX-License-Identifier: Apache-2.0
// Products of bytes where one instruction multiplies two rows of eight with two columns of eight (64-bit Arm's smmla):
// the same sums as cell by cell.
#pragma once

#include "kernels/linear/micro_kernel.h"
#include "kernels/linear/product.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

#if defined(__ARM_FEATURE_MATMUL_INT8)

namespace lffn {
namespace {

struct SquaresProduct : IntegerProduct<true> {
  static constexpr int kAllFrom = 2;

  // sums[kRows][kVectors] += rows * weights, for so many cells of four bytes each. The last of an odd number of rows
  // goes cell by cell.
  template <int kRows, int kVectors>
  LFFN_INLINE static void add_all(I32 (&sums)[kRows][kVectors], const int32_t* const (&rows)[kRows], int64_t cells,
                                  const int32_t* weights, int64_t panel_stride) {
    constexpr int kTwos = kRows / 2;
    // [0] and [1] of a vector: its first two outputs and its last two, of both rows.
    int32x4_t squares[kTwos][kVectors][2];
    unroll<kTwos * kVectors>([&](auto i) LFFN_INLINE {
      const int two = i / kVectors, vector = i % kVectors;
      join(sums[2 * two][vector].v, sums[2 * two + 1][vector].v, squares[two][vector]);
    });
    // Two cells, or one with zeros behind it.
    const auto add = [&](int64_t cell, auto both) LFFN_INLINE {
      constexpr bool kBoth = decltype(both)::value != 0;
      int8x16_t inputs[kTwos];
      unroll<kTwos>([&](auto t) LFFN_INLINE {
        inputs[t] = vcombine_s8(eight<kBoth>(rows[2 * t] + cell), eight<kBoth>(rows[2 * t + 1] + cell));
      });
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        const int panel = v / kPanelVectors, within = v % kPanelVectors;
        const int32_t* at = weights + panel * panel_stride + cell * kPanel + within * kLanes;
        const int32x4_t first = vld1q_s32(at), second = kBoth ? vld1q_s32(at + kPanel) : vdupq_n_s32(0);
        const int8x16_t low = vreinterpretq_s8_s32(vzip1q_s32(first, second));
        const int8x16_t high = vreinterpretq_s8_s32(vzip2q_s32(first, second));
        unroll<kTwos>([&](auto t) LFFN_INLINE {
          squares[t][v][0] = vmmlaq_s32(squares[t][v][0], inputs[t], low);
          squares[t][v][1] = vmmlaq_s32(squares[t][v][1], inputs[t], high);
        });
        if constexpr (kRows % 2 != 0) {
          I32& sum = sums[kRows - 1][v];
          sum = multiply({first}, I32::set1(rows[kRows - 1][cell]), sum);
          if (kBoth) sum = multiply({second}, I32::set1(rows[kRows - 1][cell + 1]), sum);
        }
      });
    };
    int64_t cell = 0;
    for (; cell + 2 <= cells; cell += 2) add(cell, Constant<1>());
    if (cell < cells) add(cell, Constant<0>());
    unroll<kTwos * kVectors>([&](auto i) LFFN_INLINE {
      const int two = i / kVectors, vector = i % kVectors;
      int32x4_t of_rows[2];
      join(squares[two][vector][0], squares[two][vector][1], of_rows);
      sums[2 * two][vector] = {of_rows[0]};
      sums[2 * two + 1][vector] = {of_rows[1]};
    });
  }

 private:
  // The first halves of both, and the second ones.
  static void join(int32x4_t a, int32x4_t b, int32x4_t* halves) {
    const int64x2_t x = vreinterpretq_s64_s32(a), y = vreinterpretq_s64_s32(b);
    halves[0] = vreinterpretq_s32_s64(vzip1q_s64(x, y));
    halves[1] = vreinterpretq_s32_s64(vzip2q_s64(x, y));
  }
  template <bool kBoth>
  static int8x8_t eight(const int32_t* cells) {
    if constexpr (kBoth) return vreinterpret_s8_s32(vld1_s32(cells));
    return vreinterpret_s8_s32(vld1_lane_s32(cells, vdup_n_s32(0), 0));
  }
};

}  // namespace
}  // namespace lffn

#endif
