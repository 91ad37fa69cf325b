// SPDX-License-Identifier: Apache-2.0
// Linear layers with int8 weights. Each row of inputs becomes bytes with a scale and a zero point of its own. The sums
// of their products with the weights are exact integers: the same on every instruction set and in any order.
#pragma once

#include <type_traits>

#include "kernels/linear/linear.h"
#include "kernels/linear/seven_bits.h"
#include "kernels/linear/signed_rows.h"
#include "kernels/linear/squares_int8.h"
#include "kernels/simd/rounding.h"

namespace lffn {
namespace {

// One less than the largest number of these bits, so that the zero point can round up and every number still fits.
constexpr float steps_of(RowBits bits) { return bits == RowBits::kSeven || bits == RowBits::kSevenOfMany ? 126 : 254; }

// Four bytes of a row meet four of each output's weights in one instruction, or eight of two rows those of two outputs.
#if defined(__ARM_FEATURE_MATMUL_INT8)
struct FoursProduct : SquaresProduct {
#else
struct FoursProduct : IntegerProduct<true> {
#endif
  static constexpr int64_t kDepth = 256;
};

// In pairs of int16: bytes 0 and 2 of four, then bytes 1 and 3.
struct PairsProduct : IntegerProduct<false> {
  static constexpr int64_t kDepth = 128;
  static constexpr int kParts = 2;
#if defined(LFFN_ADD_TWO_QUADS)  // where few rows come this way, see signed_rows.h
  static constexpr bool kSideBySide = false;
  static constexpr int kMostRows = 3;
#else
  static constexpr bool kWidens = true;
#endif
  using Wide = IntegerProduct<false>;
  template <int kPart>
  static I32 part(I32 weights) {
    return kPart == 0 ? even_bytes(weights) : odd_bytes(weights);
  }
  static void widen(const int32_t* weights, int64_t cells, int32_t* to) {
    for (int64_t i = 0; i < cells; ++i, weights += kPanel, to += 2 * kPanel) {
      for (int v = 0; v < kPanelVectors; ++v) {
        const I32 four = I32::load(weights + v * kLanes);
        even_bytes(four).store(to + v * kLanes);
        odd_bytes(four).store(to + kPanel + v * kLanes);
      }
    }
  }
};

using BytesProduct = std::conditional_t<kByteDot, FoursProduct, PairsProduct>;

// Calls function(Product) with the product that multiplies such rows; it also tells how their numbers lie.
template <typename Function>
inline void with_product([[maybe_unused]] RowBits bits, Function&& function) {
#if defined(LFFN_ADD_TWO_QUADS)
  if (bits == RowBits::kSevenOfMany) return function(QuadsProduct());
  if (bits != RowBits::kWords) return function(SignedProduct());
#endif
  function(BytesProduct());
}

// What is subtracted from a row's numbers and its zero point where the first factor of a product of bytes has a sign.
constexpr int32_t kRowLowered = kByteDot ? 128 - kByteZero : 0;

// Writes a row's numbers, a vector at a time: from input i on, in the low bytes.
template <typename Product>
struct RowWriter {
  int32_t* cells;
  RowWriter(int32_t* header, int64_t) : cells(header + kRowHeader) {}
  void put(int64_t i, I32 numbers) {
    int32_t* to = cells + i * Product::kParts / 4;
    if constexpr (Product::kParts == 1) {
      store_u8(numbers ^ I32::set1(kRowLowered), reinterpret_cast<uint8_t*>(to));
    } else {
      store_u16(swap_middle(numbers & I32::set1(0xff)), reinterpret_cast<uint16_t*>(to));
    }
  }
};
#if defined(LFFN_ADD_TWO_QUADS)
template <>
struct RowWriter<SignedProduct> : SignedRow {
  using SignedRow::SignedRow;
};
#endif

// A number that is more than so many times as large as all others of its row is kept apart, if its index fits beside
// its magnitude.
constexpr float kDwarfs = 2;
constexpr int64_t kMostWithOutlier = 4096;

// (sums - zero point * sum of weights) * scale of the weights * scale of the row + bias
struct ScaleSums {
  const int32_t* rows;
  int64_t stride;
  const int32_t* weight_sums;
  const float* weight_scales;
  const float* bias;  // nullptr: none
  const int8_t* weights;
  int64_t panel_bytes;
  struct Column {
    I32 weight_sums;
    F32 scale, bias;
  };
  struct Row {
    F32 scale;
    I32 zero;
  };
  Column column(int64_t c) const {
    return {I32::load(weight_sums + c), F32::load(weight_scales + c),
            bias != nullptr ? F32::load(bias + c) : F32::set1(0)};
  }
  Row row(int64_t r) const {
    const int32_t* header = rows + r * stride;
    float scale;
    __builtin_memcpy(&scale, header, sizeof scale);
    return {F32::set1(scale), I32::set1(header[1] - kRowLowered)};
  }
  static F32 result(I32 sums, const Column& column, const Row& row) {
    return fma(to_float(sums - column.weight_sums * row.zero) * column.scale, row.scale, column.bias);
  }

  // Asked once for all panels: there are few such rows, and many panels.
  bool any_to_amend(int64_t first_row, int64_t num_rows) const {
    bool any = false;
    for (int64_t r = first_row; r < first_row + num_rows; ++r) {
      float large;
      __builtin_memcpy(&large, rows + r * stride + 2, sizeof large);
      any = any || large != 0;
    }
    return any;
  }
  // Adds the products of the one large number of a row.
  void amend(const LinearPlan& plan, int64_t first_row, int64_t num_rows, int64_t first_column, int64_t columns) const {
    for (int64_t r = first_row; r < first_row + num_rows; ++r) {
      const int32_t* header = rows + r * stride;
      float large;
      __builtin_memcpy(&large, header + 2, sizeof large);
      if (large == 0) continue;
      const int64_t index = header[3];
      const I32 pick = I32::set1(1 << (8 * (index % 4)));
      float* out = plan.out + r * plan.out_stride;
      for (int64_t c = first_column; c < first_column + columns; c += kLanes) {
        const int8_t* four = weights + c / kPanel * panel_bytes + (index / 4 * kPanel + c % kPanel) * 4;
        const I32 weight = dot_bytes(I32::set1(0), pick, I32::load(reinterpret_cast<const int32_t*>(four)));
        const F32 scaled = to_float(weight) * F32::load(weight_scales + c);
        const int64_t room = first_column + columns - c;
        if (room >= kLanes) {
          fma(scaled, F32::set1(large), F32::load(out + c)).store(out + c);
          continue;
        }
        float last[kLanes] = {};
        for (int64_t i = 0; i < room; ++i) last[i] = out[c + i];
        fma(scaled, F32::set1(large), F32::load(last)).store(last);
        for (int64_t i = 0; i < room; ++i) out[c + i] = last[i];
      }
    }
  }
};

// For weights that were raised, and numbers that count from the zero point.
struct ScaleRaisedSums : ScaleSums {
  Row row(int64_t r) const {
    Row row = ScaleSums::row(r);
    row.zero = I32::set1(rows[r * stride + kRaisedSum]);
    return row;
  }
  static F32 result(I32 sums, const Column& column, const Row& row) {
    return fma(to_float(sums - row.zero) * column.scale, row.scale, column.bias);
  }
};

template <typename Product>
inline void linear_int8_of(const LinearInt8Plan& plan) {
  using Scaling = std::conditional_t<Product::kHasList, ScaleRaisedSums, ScaleSums>;
  const int64_t cells = (plan.linear.inputs + 3) / 4, slice_cells = kSliceInputs / 4;
  LinearPlan part = plan.linear;
  for (int64_t first = 0; first < cells; first += slice_cells) {
    const int64_t count = cells - first < slice_cells ? cells - first : slice_cells;
    part.add = plan.linear.add || first > 0;
    part.activation = first + count == cells ? plan.linear.activation : Activation::kNone;
    const Scaling scaling = {plan.in,
                             plan.in_stride,
                             plan.weight_sums + first / slice_cells * plan.sums_stride,
                             plan.weight_scales,
                             first == 0 ? plan.linear.bias : nullptr,
                             plan.weights,
                             cells * kPanel * 4};
    linear_of<Product>(part, plan.in + kRowHeader + first * Product::kParts, plan.in_stride,
                       reinterpret_cast<const int32_t*>(plan.weights) + first * kPanel, count, cells * kPanel, scaling);
  }
}

inline void linear_int8(const LinearInt8Plan& plan) {
#if defined(LFFN_ADD_TWO_QUADS)
  if (plan.bits == RowBits::kSevenOfMany) return linear_int8_of<QuadsProduct>(plan);
  // Runs of rows whose numbers lie the same way.
  const auto is_signed = [&](int64_t row) { return plan.in[row * plan.in_stride + kListed] != kNotSigned; };
  for (int64_t end, row = 0; row < plan.linear.rows; row = end) {
    for (end = row + 1; end < plan.linear.rows && is_signed(end) == is_signed(row);) ++end;
    LinearInt8Plan some = plan;
    some.linear.rows = end - row;
    some.linear.out += row * plan.linear.out_stride;
    some.in += row * plan.in_stride;
    is_signed(row) ? linear_int8_of<SignedProduct>(some) : linear_int8_of<BytesProduct>(some);
  }
#else
  linear_int8_of<BytesProduct>(plan);
#endif
}

// What must be known of a row before it becomes bytes.
struct RowRange {
  float lowest, highest;  // not above and not below zero
  bool finite;
  int64_t index;  // of the largest magnitude, or nearly so
  float another;  // a magnitude that some other number has at least
};

// at(i): where the vector from input i on lies.
template <typename At>
inline RowRange range_of_row(int64_t inputs, At&& at) {
  alignas(64) static constexpr int32_t kIndices[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  constexpr int kChains = 2;  // to hide latency
  const F32 zeros = F32::set1(0);
  const I32 magnitude = I32::set1(0x7ffff000), step = I32::set1(kLanes);
  // Of each chain: a magnitude's leading bits and its index in one integer.
  I32 index = I32::load(kIndices), largest[kChains];
  F32 low[kChains], high[kChains];
  unroll<kChains>([&](auto c) LFFN_INLINE {
    largest[c] = I32::set1(0);
    low[c] = high[c] = zeros;
  });
  const auto see = [&](int64_t i, auto c) LFFN_INLINE {
    const F32 x = F32::load(at(i));
    low[c] = min(x, low[c]);
    high[c] = max(x, high[c]);
    largest[c] = max(largest[c], (bits(x) & magnitude) | index);
    index = index + step;
  };
  int64_t i = 0;
  for (; i + kChains * kLanes <= inputs; i += kChains * kLanes) {
    unroll<kChains>([&](auto c) LFFN_INLINE { see(i + c * kLanes, c); });
  }
  for (; i < inputs; i += kLanes) see(i, Constant<0>());
  const I32 both = max(largest[0], largest[1]);
  const int32_t most = largest_lane(both);
  // The largest of the lanes below `most`: the mask has all bits set where a lane is below.
  const I32 others = both & positive(to_float(I32::set1(most) - both));
  const int32_t second = largest_lane(others) & 0x7ffff000;
  RowRange range;
  range.lowest = least(min(low[0], low[1]));
  range.highest = -least(zeros - max(high[0], high[1]));
  range.finite = most < 0x7f800000;  // an infinity's bits, above which all NaN are
  range.index = (most & 0xfff) < inputs ? most & 0xfff : inputs - 1;
  __builtin_memcpy(&range.another, &second, sizeof second);
  return range;
}

// Rows -> bytes, with the scale and the zero point in front of each. Where a row has a NaN or an infinity, its scale is
// NaN. One number that dwarfs all others would coarsen the steps of all: it stays out, and lies with its index behind
// the zero point.
template <typename Product>
void quantise_rows_for(const float* in, int64_t in_stride, int64_t rows, int64_t inputs, int32_t* out,
                       int64_t out_stride, float steps) {
  const int64_t whole = inputs / kLanes * kLanes;
  for (int64_t r = 0; r < rows; ++r, in += in_stride, out += out_stride) {
    float rest[kLanes] = {}, without[kLanes];
    for (int64_t i = whole; i < inputs; ++i) rest[i - whole] = in[i];
    int64_t block = -1;  // the vector of the number that stays out
    const auto all = [&](int64_t i) LFFN_INLINE { return i < whole ? in + i : rest; };
    const auto but_one = [&](int64_t i) LFFN_INLINE { return i == block ? without : all(i); };
    RowRange range = range_of_row(inputs, all);
    float largest = in[range.index];
    const float bound = kDwarfs * range.another;
    if (inputs <= kMostWithOutlier && (largest > bound || -largest > bound)) {
      // It may stand out, which only a second look tells.
      const int64_t index = range.index;
      block = index / kLanes * kLanes;
      F32::load(all(block)).store(without);
      without[index - block] = 0;
      const RowRange others = range_of_row(inputs, but_one);
      const float limit = kDwarfs * (others.highest > -others.lowest ? others.highest : -others.lowest);
      if (largest > limit || -largest > limit) {
        range.lowest = others.lowest;
        range.highest = others.highest;
      } else {
        block = -1;
      }
    }
    if (block < 0) largest = 0;
    float width = range.highest - range.lowest;
    width = width < kSmallestRange ? kSmallestRange : width;
    const float scale = range.finite ? width / steps : __builtin_nanf(""), inverse = steps / width;
    const float zero = fma1(-range.lowest, inverse, 0.5f) + kRoundInLowBits;
    int32_t zero_bits;
    __builtin_memcpy(&zero_bits, &zero, sizeof zero);
    __builtin_memcpy(out, &scale, sizeof scale);
    out[1] = zero_bits & 0xff;
    __builtin_memcpy(out + 2, &largest, sizeof largest);
    out[3] = static_cast<int32_t>(range.index);
    RowWriter<Product> writer(out, inputs);
    const auto put = [&](int64_t i, const float* from) LFFN_INLINE {
      writer.put(i, bits(fma(F32::load(from), F32::set1(inverse), F32::set1(zero))));
    };
    if (block < 0) {
      for (int64_t i = 0; i < whole; i += kLanes) put(i, in + i);
      if (whole < inputs) put(whole, rest);
    } else {
      for (int64_t i = 0; i < inputs; i += kLanes) put(i, but_one(i));
    }
    if constexpr (Product::kHasList) {
      if (writer.end()) continue;
      quantise_rows_for<BytesProduct>(in, in_stride, 1, inputs, out, out_stride, steps);
      out[kListed] = kNotSigned;
    }
  }
}

inline void quantise_rows(const float* in, int64_t in_stride, int64_t rows, int64_t inputs, int32_t* out,
                          int64_t out_stride, RowBits bits) {
  with_product(bits, [&](auto product) {
    quantise_rows_for<decltype(product)>(in, in_stride, rows, inputs, out, out_stride, steps_of(bits));
  });
}

}  // namespace
}  // namespace lffn
