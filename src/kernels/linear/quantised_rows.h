// SPDX-License-Identifier: Apache-2.0
// The rows of a dense int8 hash as whole numbers, by the rule of quantise.h. Where bytes are multiplied, numbers that
// stand out and do not fit a byte are listed row by row, and their products are added to the sums of these rows alone.
#pragma once

#include <type_traits>

#include "kernels/kernels.h"
#include "kernels/linear/linear_int8.h"
#include "kernels/linear/parts.h"
#include "kernels/linear/quantise.h"

namespace lffn {
namespace {

// Two weights of each output.
struct BytePair {
  int8_t bytes[2];
};
struct PairsOfBytes : IntegerProduct<false> {
  using Weight = BytePair;
  using Weights = const BytePair*;
  static I32 load(const BytePair* weights) { return load_pairs(weights->bytes); }
};
using HashProduct = std::conditional_t<kByteDot, FoursProduct, PairsOfBytes>;

// The inputs are cut into blocks, each with a step of its own.
inline int64_t row_blocks(const HashPlan& plan) { return (plan.width + plan.block - 1) / plan.block; }
inline int64_t inputs_of_block(const HashPlan& plan, int64_t b) {
  return b + 1 < row_blocks(plan) ? plan.block : plan.width - b * plan.block;
}
inline int64_t block_stride(const HashPlan& plan) { return round_up(cells_of(plan.block), kPartialSums); }
// Less than a third of a block stands out, because only what is larger than four times the mean does.
inline int64_t most_listed(const HashPlan& plan) { return plan.block / 3 + 1; }

struct QuantisedRows {
  int32_t* cells;     // [blocks][tokens][block_stride]
  float* steps;       // [blocks][tokens]
  int32_t* listed;    // [blocks][tokens][most_listed]: an input's number << 8 | its second byte
  int32_t* counts;    // [blocks][tokens]: how many are listed
  int32_t* tokens;    // [blocks][tokens]: the tokens that have any
  int32_t* num_some;  // [blocks]: how many tokens have any
};
inline QuantisedRows quantised_rows(const HashPlan& plan, Parts& parts) {
  const int64_t blocks = row_blocks(plan), rows = blocks * kCallTokens, bytes = kByteDot ? rows : 0;
  QuantisedRows made;
  made.cells = parts.take<int32_t>(rows * block_stride(plan));
  made.steps = parts.take<float>(rows);
  made.listed = parts.take<int32_t>(bytes * most_listed(plan));
  made.counts = parts.take<int32_t>(bytes);
  made.tokens = parts.take<int32_t>(bytes);
  made.num_some = parts.take<int32_t>(blocks);
  return made;
}

// Rows side by side, which hide each other's latency.
template <int kRows>
struct SideRows {
  static constexpr int kSets = kRows;
  int64_t stride;
  template <typename Use>
  LFFN_INLINE void each_vector(const float* in, int64_t inputs, Use&& use) const {
    int64_t i = 0;
    for (; i + kLanes <= inputs; i += kLanes) {
      F32 values[kRows];
      unroll<kRows>([&](auto r) LFFN_INLINE { values[r] = F32::load(in + r * stride + i); });
      use(values, i);
    }
    if (i == inputs) return;
    F32 values[kRows];
    unroll<kRows>([&](auto r) LFFN_INLINE {
      float rest[kLanes] = {};
      for (int64_t k = i; k < inputs; ++k) rest[k - i] = in[r * stride + k];
      values[r] = F32::load(rest);
    });
    use(values, i);
  }
  template <typename Use>
  LFFN_INLINE void each(const float* in, int64_t inputs, Use&& use) const {
    each_vector(in, inputs, [&](const F32* values, int64_t) LFFN_INLINE {
      unroll<kRows>([&](auto r) LFFN_INLINE { use(values[r], r); });
    });
  }
  static I32 largest(I32 found) { return I32::set1(largest_lane(found)); }
  static I32 sum(I32 found) { return I32::set1(lane_sum(found)); }
};

// Some rows of one block, from number `row` of QuantisedRows on.
template <int kRows>
void quantise_side(const HashPlan& plan, const float* in, int64_t in_stride, int64_t inputs, const QuantisedRows& out,
                   int64_t row) {
  const SideRows<kRows> rows = {in_stride};
  F32 inverse[kRows], steps[kRows];
  find_steps<true>(rows, in, inputs, step_rule(inputs, inputs), nullptr, inverse, steps);
  unroll<kRows>([&](auto r) LFFN_INLINE { out.steps[row + r] = first_lane(steps[r]); });
  const F32 round = F32::set1(kByteDot ? kRoundInLowBits + 128 : kRoundInLowBits);
  const int64_t stride = block_stride(plan);
  int32_t* const cells = out.cells + row * stride;
  int32_t counts[kRows] = {};
  rows.each_vector(in, inputs, [&](const F32* values, int64_t first) LFFN_INLINE {
    I32 numbers[kRows], any = I32::set1(0);
    unroll<kRows>([&](auto r) LFFN_INLINE {
      numbers[r] = bits(fma(values[r], inverse[r], round));
      any = any | numbers[r];
      if constexpr (kByteDot) {
        store_u8(numbers[r] ^ I32::set1(kRowLowered), reinterpret_cast<uint8_t*>(cells + r * stride) + first);
      } else {
        store_u16(numbers[r] & I32::set1(0xffff), reinterpret_cast<uint16_t*>(cells + r * stride) + first);
      }
    });
    if constexpr (kByteDot) {
      if (!any_bit(any & I32::set1(0xff00))) return;
      for (int r = 0; r < kRows; ++r) {
        const float step = out.steps[row + r];
        // A row with NaN or infinity gives NaN whatever its sums.
        if (!any_bit(numbers[r] & I32::set1(0xff00)) || !(step - step == 0)) continue;
        int32_t lanes[kLanes];
        numbers[r].store(lanes);
        for (int i = 0; i < kLanes; ++i) {
          if ((lanes[i] & 0xff00) == 0) continue;
          out.listed[(row + r) * most_listed(plan) + counts[r]++] =
              static_cast<int32_t>((first + i) << 8 | (lanes[i] >> 8 & 0xff));
        }
      }
    }
  });
  if constexpr (kByteDot) {
    for (int r = 0; r < kRows; ++r) out.counts[row + r] = counts[r];
  }
}

inline void quantise_all(const HashPlan& plan, const float* x, int64_t x_stride, int64_t tokens,
                         const QuantisedRows& out) {
  constexpr int kRows = kRegisters == 32 ? 4 : 2;
  for (int64_t b = 0; b < row_blocks(plan); ++b, x += plan.block) {
    const int64_t inputs = inputs_of_block(plan, b), row = b * kCallTokens;
    int64_t t = 0;
    for (; t + kRows <= tokens; t += kRows) {
      quantise_side<kRows>(plan, x + t * x_stride, x_stride, inputs, out, row + t);
    }
    for (; t < tokens; ++t) quantise_side<1>(plan, x + t * x_stride, x_stride, inputs, out, row + t);
    int32_t some = 0;
    for (t = 0; kByteDot && t < tokens; ++t) {
      out.tokens[row + some] = static_cast<int32_t>(t);
      some += out.counts[row + t] > 0 ? 1 : 0;
    }
    out.num_some[b] = some;
  }
}

// sums of one row += 256 * the products of its second bytes with some panels.
template <int kVectors>
LFFN_INLINE inline void add_seconds_of_row(const int32_t* listed, int32_t count, const int8_t* weights, int64_t cells,
                                           int64_t first, int32_t* sums) {
  I32 added[kVectors], raised = I32::set1(0);
  unroll<kVectors>([&](auto v) LFFN_INLINE { added[v] = I32::set1(0); });
  for (int32_t i = 0; i < count; ++i) {
    const int32_t input = listed[i] >> 8;
    const I32 second = I32::set1((listed[i] & 0xff) << 8 * (input % 4));
    raised = dot_raised(raised, I32::set1(kRaised), second);
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const int64_t column = first + v * kLanes;
      const int64_t place = column / kPanel * cells * kPanel + input / 4 * kPanel + column % kPanel;
      const I32 four = I32::load(reinterpret_cast<const int32_t*>(weights + 4 * place));
      added[v] = dot_raised(added[v], four ^ I32::set1(kRaised), second);
    });
  }
  unroll<kVectors>([&](auto v) LFFN_INLINE {
    int32_t* const to = sums + first + v * kLanes;
    (I32::load(to) + shift_left<8>(added[v] - raised)).store(to);
  });
}

// The same for all rows of block b: sums[tokens][columns].
inline void add_seconds(const HashPlan& plan, const QuantisedRows& rows, int64_t b, const int8_t* weights,
                        int64_t cells, int64_t columns, int32_t* sums) {
  for (int32_t i = 0; i < rows.num_some[b]; ++i) {
    const int64_t token = rows.tokens[b * kCallTokens + i], row = b * kCallTokens + token;
    const int32_t* const listed = rows.listed + row * most_listed(plan);
    int64_t c = 0;
    for (; c + 4 * kLanes <= columns; c += 4 * kLanes) {
      add_seconds_of_row<4>(listed, rows.counts[row], weights, cells, c, sums + token * columns);
    }
    for (; c < columns; c += kLanes) {
      add_seconds_of_row<1>(listed, rows.counts[row], weights, cells, c, sums + token * columns);
    }
  }
}

}  // namespace
}  // namespace lffn
