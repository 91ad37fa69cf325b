// SPDX-License-Identifier: Apache-2.0
// Inputs of int8 products as whole numbers. Some rows of a token share one step: the largest of them becomes 127,
// unless it stands out; then what is usual takes 127 steps, and the few that are larger get a second byte. The numbers
// are the same on every instruction set, and so are the sums of their products.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd/rounding.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// Where there are products of bytes, numbers lie in cells of four low bytes, raised by kByteZero, with their second
// bytes in cells of their own; elsewhere in cells of two int16.
constexpr int kCellInputs = kByteDot ? 4 : 2;
constexpr int32_t kRaised = kByteZero == 0 ? 0 : static_cast<int32_t>(0x80808080u);
inline int64_t cells_of(int64_t inputs) { return (inputs + kCellInputs - 1) / kCellInputs; }

constexpr float kUsualSteps = 127;
constexpr float kMostSteps = 32639;  // whose second byte is 127
constexpr float kUsualSpread = 4;    // what is larger than so many times the mean magnitude stands out
constexpr float kMeanSteps = 4096;   // the mean is taken of whole numbers up to this: exact in any order

// How rows get their step: so that sums of `inputs` products stay within int32.
struct StepRule {
  float usual;   // steps
  float fewest;  // the usual is at least this share of the largest
  float spread;  // this times the sum of `rows` magnitudes in kMeanSteps is the usual's share of the largest
};
inline StepRule step_rule(int64_t inputs, int64_t rows) {
  const float most = static_cast<float>(INT32_MAX / (128 * inputs));
  const float limit = most < kMostSteps ? most : kMostSteps;
  const float usual = limit < kUsualSteps ? limit : kUsualSteps;
  return {usual, usual / limit, kUsualSpread / (kMeanSteps * static_cast<float>(rows))};
}

// As integers, magnitudes keep their order, and NaN is the largest: it must reach the step.
inline I32 larger_magnitude(I32 largest, F32 value) { return max(largest, bits(value) & I32::set1(0x7fffffff)); }
inline F32 range_of(I32 largest) { return max(F32::set1(kSmallestRange), from_bits(largest)); }

// A magnitude in kMeanSteps of the range.
inline I32 mean_steps(F32 value, F32 inverse) {
  return bits(fma(abs(value), inverse, F32::set1(kRoundInLowBits))) - bits(F32::set1(kRoundInLowBits));
}
// The usual's part of the range, from the sum of mean_steps.
inline F32 usual_range(const StepRule& rule, F32 range, I32 sum) {
  return range * max(F32::set1(rule.fewest), min(F32::set1(1), to_float(sum) * F32::set1(rule.spread)));
}

// Rows of a tile, its tokens side by side, or of one token. The rows of a block fill whole cells.
struct Quantised {
  int32_t* cells;        // [blocks][cells of a block][tokens]
  int32_t* high;         // the same, of second bytes; only where kByteDot
  int32_t* high_starts;  // [blocks][tokens]: minus what these add because weights are raised
  int32_t* listed;       // [blocks][cells of a block]: which cells of a block have second bytes
  int32_t* counts;       // [blocks]: how many have
  float* steps;          // [steps][tokens]: what one step is worth
};

// A block's rows of one tile -> cells.
template <bool kOutliers, int kVectors>
inline void quantise_block(const float* in, int64_t rows, const F32* inverse, int64_t block, int64_t block_cells,
                           const Quantised& out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const F32 round = F32::set1(kByteDot ? kRoundInLowBits + 128 : kRoundInLowBits);
  int32_t* cells = out.cells + block * block_cells * kTokens;
  int32_t* high = out.high + block * block_cells * kTokens;
  int32_t* listed = out.listed + block * block_cells;
  int32_t count = 0;
  I32 starts[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { starts[v] = I32::set1(0); });
  const auto put = [&](int64_t cell, int64_t present) LFFN_INLINE {
    I32 any = I32::set1(0);
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const float* at = in + cell * kCellInputs * kTokens + v * kLanes;
      I32 numbers[kCellInputs];
      unroll<kCellInputs>([&](auto i) LFFN_INLINE {
        numbers[i] = bits(i < present ? fma(F32::load(at + i * kTokens), inverse[v], round) : round);
      });
      const int64_t to = cell * kTokens + v * kLanes;
      if constexpr (kByteDot) {
        const I32 low = pack_bytes(numbers[0], numbers[1], numbers[2], numbers[3]);
        (kByteZero == 128 ? low : low ^ I32::set1(static_cast<int32_t>(0x80808080u))).store(cells + to);
        if constexpr (kOutliers) {
          const I32 second = pack_bytes(shift_right<8>(numbers[0]), shift_right<8>(numbers[1]),
                                        shift_right<8>(numbers[2]), shift_right<8>(numbers[3]));
          second.store(high + to);
          any = any | second;
          starts[v] = dot_raised(starts[v], I32::set1(kRaised), second);
        }
      } else {
        low_and_high(numbers[0], shift_left<16>(numbers[1])).store(cells + to);
      }
    });
    if constexpr (kByteDot && kOutliers) {
      listed[count] = static_cast<int32_t>(cell);
      count += any_bit(any) ? 1 : 0;
    }
  };
  int64_t cell = 0;
  for (; (cell + 1) * kCellInputs <= rows; ++cell) put(cell, kCellInputs);
  if (cell * kCellInputs < rows) put(cell, rows - cell * kCellInputs);
  if constexpr (kByteDot && kOutliers) {
    out.counts[block] = count;
    unroll<kVectors>(
        [&](auto v) LFFN_INLINE { (I32::set1(0) - starts[v]).store(out.high_starts + block * kTokens + v * kLanes); });
  }
}

// Calls use(vector, first row, rows in it) for all rows; the last vector may be padded with zeros.
template <typename Use>
LFFN_INLINE inline void for_vectors(const float* in, int64_t rows, Use&& use) {
  int64_t r = 0;
  for (; r + kLanes <= rows; r += kLanes) use(F32::load(in + r), r, kLanes);
  if (r == rows) return;
  float rest[kLanes] = {};
  for (int64_t i = r; i < rows; ++i) rest[i - r] = in[i];
  use(F32::load(rest), r, static_cast<int>(rows - r));
}

// Lists the cells of a block that have second bytes.
inline void list_high(const int32_t* high, int64_t cells, int32_t* listed, int32_t* count, int32_t* start) {
  int32_t found = 0;
  I32 sum = I32::set1(0);
  for (int64_t i = 0; i < cells; ++i) {
    if (i + kLanes <= cells && !any_bit(I32::load(high + i))) {
      i += kLanes - 1;
      continue;
    }
    if (high[i] == 0) continue;
    listed[found++] = static_cast<int32_t>(i);
    sum = dot_raised(sum, I32::set1(kRaised), I32::set1(high[i]));
  }
  *count = found;
  *start = -first_lane(sum);
}

// The numbers of some rows, raised, as cells.
template <bool kOutliers>
inline void token_cells(const float* in, int64_t rows, F32 inverse, uint8_t* cells, uint8_t* high) {
  const F32 round = F32::set1(kByteDot ? kRoundInLowBits + 128 : kRoundInLowBits);
  for_vectors(in, rows, [&](F32 value, int64_t first, int present) LFFN_INLINE {
    const I32 number = bits(fma(value, inverse, round));
    uint8_t rest[2 * kLanes];
    const size_t whole = (static_cast<size_t>(present) + kCellInputs - 1) / kCellInputs * kCellInputs;
    if constexpr (!kByteDot) {
      store_u16(number & I32::set1(0xffff), reinterpret_cast<uint16_t*>(rest));
      __builtin_memcpy(cells + 2 * first, rest, present == kLanes ? sizeof rest : 2 * whole);
    } else {
      store_u8(kByteZero == 128 ? number : number ^ I32::set1(0x80), rest);
      __builtin_memcpy(cells + first, rest, present == kLanes ? size_t{kLanes} : whole);
      if constexpr (kOutliers) {
        store_u8(shift_right<8>(number), rest);
        __builtin_memcpy(high + first, rest, present == kLanes ? size_t{kLanes} : whole);
      }
    }
  });
}

// The rows of a tile: its tokens lie in the lanes of `kSets` vectors.
template <int kVectors>
struct TileRows {
  static constexpr int64_t kTokens = kVectors * kLanes;
  static constexpr int kSets = kVectors;
  template <typename Use>
  LFFN_INLINE static void each(const float* in, int64_t rows, Use&& use) {
    for (int64_t r = 0; r < rows; ++r) {
      unroll<kVectors>([&](auto v) LFFN_INLINE { use(F32::load(in + r * kTokens + v * kLanes), v); });
    }
  }
  static I32 largest(I32 found) { return found; }
  static I32 sum(I32 found) { return found; }
  static void put_step(F32 step, float* to) { step.store(to); }
  template <bool kOutliers>
  static void put_cells(const HashPlan& plan, const float* in, int64_t first, int64_t rows, const F32* inverse,
                        const Quantised& out) {
    for (int64_t r = first; r < first + rows; r += plan.block) {
      const int64_t present = first + rows - r < plan.block ? first + rows - r : plan.block;
      quantise_block<kOutliers, kVectors>(in + r * kTokens, present, inverse, r / plan.block, cells_of(plan.block),
                                          out);
    }
  }
};

// The rows of one token: they lie in the lanes themselves.
struct OneTokenRows {
  static constexpr int64_t kTokens = 1;
  static constexpr int kSets = 1;
  template <typename Use>
  LFFN_INLINE static void each(const float* in, int64_t rows, Use&& use) {
    for_vectors(in, rows, [&](F32 value, int64_t, int) LFFN_INLINE { use(value, Constant<0>()); });
  }
  static I32 largest(I32 found) { return I32::set1(largest_lane(found)); }
  static I32 sum(I32 found) { return I32::set1(lane_sum(found)); }
  static void put_step(F32 step, float* to) { *to = first_lane(step); }
  template <bool kOutliers>
  static void put_cells(const HashPlan& plan, const float* in, int64_t first, int64_t rows, const F32* inverse,
                        const Quantised& out) {
    constexpr int kBytes = kByteDot ? 1 : 2;  // of a number
    const int64_t cells = cells_of(plan.block);
    // Blocks that fill their cells lie one behind the other.
    const int64_t piece = plan.block % kCellInputs == 0 ? rows : plan.block;
    for (int64_t r = first; r < first + rows; r += piece) {
      const int64_t present = first + rows - r < piece ? first + rows - r : piece;
      const int64_t at = r / plan.block * cells * kCellInputs;
      token_cells<kOutliers>(in + r, present, *inverse, reinterpret_cast<uint8_t*>(out.cells) + at * kBytes,
                             reinterpret_cast<uint8_t*>(out.high) + at);
    }
    if constexpr (kByteDot && kOutliers) {
      for (int64_t r = first, b = first / plan.block; r < first + rows; r += plan.block, ++b) {
        const int64_t present = first + rows - r < plan.block ? first + rows - r : plan.block;
        list_high(out.high + b * cells, cells_of(present), out.listed + b * cells, out.counts + b, out.high_starts + b);
      }
    }
  }
};

// The factors that turn the numbers of some rows into steps, and what a step is worth, for each of the source's sets.
// largest: their largest magnitudes if these are known, else nullptr.
template <bool kOutliers, typename Source>
LFFN_INLINE inline void find_steps(const Source& source, const float* in, int64_t rows, const StepRule& rule,
                                   const I32* largest, F32* inverse, F32* steps) {
  constexpr int kSets = Source::kSets;
  I32 most[kSets], sum[kSets];
  F32 usual[kSets];
  unroll<kSets>([&](auto s) LFFN_INLINE {
    most[s] = largest != nullptr ? largest[s] : I32::set1(0);
    sum[s] = I32::set1(0);
  });
  if (largest == nullptr) {
    source.each(in, rows, [&](F32 value, auto s) LFFN_INLINE { most[s] = larger_magnitude(most[s], value); });
  }
  unroll<kSets>([&](auto s) LFFN_INLINE { usual[s] = range_of(Source::largest(most[s])); });
  if constexpr (kOutliers) {
    unroll<kSets>([&](auto s) LFFN_INLINE { inverse[s] = F32::set1(kMeanSteps) / usual[s]; });
    source.each(in, rows, [&](F32 value, auto s) LFFN_INLINE { sum[s] = sum[s] + mean_steps(value, inverse[s]); });
    unroll<kSets>([&](auto s) LFFN_INLINE { usual[s] = usual_range(rule, usual[s], Source::sum(sum[s])); });
  }
  unroll<kSets>([&](auto s) LFFN_INLINE {
    inverse[s] = F32::set1(rule.usual) / usual[s];
    // An infinity becomes another number on each instruction set, so the step becomes NaN; finite steps stay.
    steps[s] = usual[s] * F32::set1(1 / rule.usual) + (usual[s] - usual[s]);
  });
}

// Quantises all rows. Rows of the first factor have outliers, rows of later factors do not. largest[blocks][tokens]:
// the largest magnitudes of the blocks, nullptr if they are not known.
template <typename Source, bool kOutliers>
void quantise(const HashPlan& plan, const float* in, const int32_t* largest, const Quantised& out) {
  constexpr int64_t kTokens = Source::kTokens;
  constexpr int kSets = Source::kSets;
  for (int64_t first = 0, step = 0; first < plan.width; first += plan.step_rows, ++step) {
    const int64_t rows = plan.width - first < plan.step_rows ? plan.width - first : plan.step_rows;
    I32 most[kSets];
    unroll<kSets>([&](auto s) LFFN_INLINE { most[s] = I32::set1(0); });
    for (int64_t b = first / plan.block; largest != nullptr && b * plan.block < first + rows; ++b) {
      unroll<kSets>([&](auto s) LFFN_INLINE { most[s] = max(most[s], I32::load(largest + b * kTokens + s * kLanes)); });
    }
    F32 inverse[kSets], steps[kSets];
    find_steps<kOutliers>(Source(), in + first * kTokens, rows, step_rule(plan.block, rows),
                          largest != nullptr ? most : nullptr, inverse, steps);
    unroll<kSets>([&](auto s) LFFN_INLINE { Source::put_step(steps[s], out.steps + step * kTokens + s * kLanes); });
    Source::template put_cells<kOutliers>(plan, in, first, rows, inverse, out);
  }
}

}  // namespace
}  // namespace lffn
