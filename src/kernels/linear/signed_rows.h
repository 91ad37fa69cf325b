// SPDX-License-Identifier: Apache-2.0
// Products of rows of eight bits where the one instruction that multiplies bytes adds two products in int16 and
// saturates (AVX2 without VNNI). It wants one factor without a sign: the weights, raised by 128. The numbers of a row
// are taken from its zero point on, and two neighbours of one sign add up to 127 at most, so that their products fit
// with any weights. What is beyond 127 goes into a list of cells, which meet the weights once more. The sums are exact.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/micro_kernel.h"
#include "kernels/linear/product.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// Places in a row's header, which lies before its cells: what raising the weights adds to its sums; how many cells are
// listed, or kNotSigned for rows as PairsProduct wants them; after how many cells the list begins.
constexpr int kRaisedSum = 4, kListed = 5, kListStart = 6;
constexpr int32_t kNotSigned = -1;

#if defined(LFFN_ADD_TWO_QUADS)

// Four bytes of a row meet four of each output's weights in three instructions.
struct SignedProduct : IntegerProduct<true> {
  static constexpr int64_t kDepth = 256;
  static constexpr bool kHasList = true;
  static I32 load(const int32_t* weights) { return I32::load(weights) ^ I32::set1(static_cast<int32_t>(0x80808080u)); }
  static I32 multiply(I32 weights, I32 numbers, I32 sums) { return add_quads(sums, weights, numbers); }

  // The listed cells of whole rows.
  template <int kPanels, int kRows, int kVectors>
  LFFN_INLINE static void add_list(I32 (&sums)[kRows][kVectors], const int32_t* const (&rows)[kRows],
                                   const int32_t* weights, int64_t panel_stride) {
    constexpr int kOfPanel = kVectors / kPanels;
    unroll<kRows>([&](auto r) LFFN_INLINE {
      const int32_t* header = rows[r] - kRowHeader;
      const int32_t* entry = rows[r] + header[kListStart];
      for (const int32_t* end = entry + 2 * header[kListed]; entry < end; entry += 2) {
        const int32_t* at = weights + entry[0] * kPanel;
        const I32 numbers = I32::set1(entry[1]);
        unroll<kVectors>([&](auto v) LFFN_INLINE {
          const I32 loaded = load(at + v / kOfPanel * panel_stride + v % kOfPanel * kLanes);
          sums[r][v] = multiply(loaded, numbers, sums[r][v]);
        });
      }
    });
  }
};

// Writes a row's numbers behind its header, which has the zero point.
class SignedRow {
 public:
  SignedRow(int32_t* header, int64_t inputs)
      : header_(header),
        cells_(header + kRowHeader),
        start_((inputs + 7) / 8 * 2),
        room_(((inputs + 31) / 32 * 16 - start_) / 2),
        zero_(I32::set1(header[1])),
        full_(inputs > kSliceInputs) {}

  // Eight numbers from input i on, in the low bytes.
  void put(int64_t i, I32 numbers) {
    numbers = (numbers & I32::set1(0xff)) - zero_;
    sum_ = sum_ + numbers;
    if (store_fitting_pairs(numbers, cells_ + i / 4)) return;
    int32_t rest[kLanes];
    numbers.store(rest);
    for (int64_t cell = 0; cell < kLanes / 4; ++cell) put_cell(i / 4 + cell, rest + 4 * cell);
  }
  // Whether all is written; otherwise the list is full.
  bool end() {
    header_[kRaisedSum] = static_cast<int32_t>(128u * static_cast<uint32_t>(lane_sum(sum_)));
    header_[kListed] = static_cast<int32_t>(count_);
    header_[kListStart] = static_cast<int32_t>(start_);
    return !full_;
  }

 private:
  __attribute__((noinline)) void put_cell(int64_t cell, int32_t* rest) {
    cells_[cell] = take(rest);
    while (!full_ && (rest[0] | rest[1] | rest[2] | rest[3]) != 0) {
      full_ = count_ == room_;
      if (full_) return;
      int32_t* entry = cells_ + start_ + 2 * count_++;
      entry[0] = static_cast<int32_t>(cell);
      entry[1] = take(rest);
    }
  }
  // As much of four numbers as fits a cell.
  static int32_t take(int32_t* rest) {
    uint32_t cell = 0;
    for (int pair = 0; pair < 4; pair += 2) {
      int32_t above = 127, below = -127;
      for (int i = pair; i < pair + 2; ++i) {
        const int32_t some = rest[i] > above ? above : rest[i] < below ? below : rest[i];
        (some > 0 ? above : below) -= some;
        rest[i] -= some;
        cell |= (static_cast<uint32_t>(some) & 0xff) << (8 * i);
      }
    }
    return static_cast<int32_t>(cell);
  }

  int32_t* header_;
  int32_t* cells_;
  int64_t start_, room_, count_ = 0;
  I32 zero_, sum_ = I32::set1(0);
  bool full_;
};

#endif

}  // namespace
}  // namespace lffn
