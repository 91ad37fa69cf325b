// Inputs of int8 products as whole numbers. Some rows of a token share one step: the largest of them becomes 127,
// unless it stands out; then what is usual takes 127 steps, and the few that are larger get a second byte. The numbers
// are the same on every instruction set, and so are the sums of their products.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

// Where there are products of bytes, numbers lie in words of four low bytes, raised by kByteZero, with their second
// bytes in words of their own; elsewhere in words of two int16.
constexpr int kWordInputs = kByteDot ? 4 : 2;
constexpr int32_t kRaised = kByteZero == 0 ? 0 : static_cast<int32_t>(0x80808080u);
inline int64_t words_of(int64_t inputs) { return (inputs + kWordInputs - 1) / kWordInputs; }

constexpr float kRoundInLowBits = 12582912.0f;  // adding it leaves the rounded number in the lowest bits
constexpr float kSmallestRange = 1e-30f;        // rows whose largest is below it count as zero
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
  const float limit = static_cast<float>(INT32_MAX / (128 * inputs) < 32639 ? INT32_MAX / (128 * inputs) : 32639);
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

// Rows of some tokens side by side. Those of a block fill whole words.
struct Quantised {
  int32_t* words;        // [blocks][words of a block][tokens]
  int32_t* high;         // the same, of second bytes; only where kByteDot
  int32_t* high_starts;  // [blocks][tokens]: minus what these add because weights are raised
  int32_t* listed;       // [blocks][words of a block]: which words of a block have second bytes
  int32_t* counts;       // [blocks]: how many have
  float* steps;          // [steps][tokens]: what one step is worth
};

// A block's rows of one tile -> words.
template <bool kOutliers, int kVectors>
inline void quantise_block(const float* in, int64_t rows, const F32* inverse, int64_t block, int64_t block_words,
                           const Quantised& out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const F32 round = F32::set1(kByteDot ? kRoundInLowBits + 128 : kRoundInLowBits);
  int32_t* words = out.words + block * block_words * kTokens;
  int32_t* high = out.high + block * block_words * kTokens;
  int32_t* listed = out.listed + block * block_words;
  int32_t count = 0;
  I32 starts[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { starts[v] = I32::set1(0); });
  const auto put = [&](int64_t word, int64_t present) LFFN_INLINE {
    I32 any = I32::set1(0);
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const float* at = in + word * kWordInputs * kTokens + v * kLanes;
      I32 numbers[kWordInputs];
      unroll<kWordInputs>([&](auto i) LFFN_INLINE {
        numbers[i] = bits(i < present ? fma(F32::load(at + i * kTokens), inverse[v], round) : round);
      });
      const int64_t to = word * kTokens + v * kLanes;
      if constexpr (kByteDot) {
        const I32 low = pack_bytes(numbers[0], numbers[1], numbers[2], numbers[3]);
        (kByteZero == 128 ? low : low ^ I32::set1(static_cast<int32_t>(0x80808080u))).store(words + to);
        if constexpr (kOutliers) {
          const I32 second = pack_bytes(shift_right<8>(numbers[0]), shift_right<8>(numbers[1]),
                                        shift_right<8>(numbers[2]), shift_right<8>(numbers[3]));
          second.store(high + to);
          any = any | second;
          starts[v] = dot_raised(starts[v], I32::set1(kRaised), second);
        }
      } else {
        low_and_high(numbers[0], shift_left<16>(numbers[1])).store(words + to);
      }
    });
    if constexpr (kByteDot && kOutliers) {
      listed[count] = static_cast<int32_t>(word);
      count += any_bit(any) ? 1 : 0;
    }
  };
  int64_t word = 0;
  for (; (word + 1) * kWordInputs <= rows; ++word) put(word, kWordInputs);
  if (word * kWordInputs < rows) put(word, rows - word * kWordInputs);
  if constexpr (kByteDot && kOutliers) {
    out.counts[block] = count;
    unroll<kVectors>(
        [&](auto v) LFFN_INLINE { (I32::set1(0) - starts[v]).store(out.high_starts + block * kTokens + v * kLanes); });
  }
}

// The inputs of the first factor: with outliers.
template <int kVectors>
void quantise_inputs(const HashPlan& plan, const float* in, const Quantised& out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const int64_t words = words_of(plan.block);
  for (int64_t first = 0, step = 0; first < plan.width; first += plan.step_rows, ++step) {
    const int64_t end = first + plan.step_rows < plan.width ? first + plan.step_rows : plan.width;
    const StepRule rule = step_rule(plan.block, end - first);
    I32 largest[kVectors], sum[kVectors];
    F32 range[kVectors], inverse[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE { largest[v] = sum[v] = I32::set1(0); });
    for (int64_t r = first; r < end; ++r) {
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        largest[v] = larger_magnitude(largest[v], F32::load(in + r * kTokens + v * kLanes));
      });
    }
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      range[v] = range_of(largest[v]);
      inverse[v] = F32::set1(kMeanSteps) / range[v];
    });
    for (int64_t r = first; r < end; ++r) {
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        sum[v] = sum[v] + mean_steps(F32::load(in + r * kTokens + v * kLanes), inverse[v]);
      });
    }
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const F32 usual = usual_range(rule, range[v], sum[v]);
      inverse[v] = F32::set1(rule.usual) / usual;
      (usual * F32::set1(1 / rule.usual)).store(out.steps + step * kTokens + v * kLanes);
    });
    for (int64_t r = first; r < end; r += plan.block) {
      const int64_t rows = end - r < plan.block ? end - r : plan.block;
      quantise_block<true, kVectors>(in + r * kTokens, rows, inverse, r / plan.block, words, out);
    }
  }
}

// The inputs of a later factor, whose magnitudes are known: largest[blocks][tokens].
template <int kVectors>
void quantise_between(const HashPlan& plan, const float* in, const int32_t* largest, const Quantised& out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const int64_t words = words_of(plan.block);
  const StepRule rule = step_rule(plan.block, plan.step_rows);
  for (int64_t first = 0, step = 0; first < plan.width; first += plan.step_rows, ++step) {
    F32 inverse[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      I32 most = I32::set1(0);
      for (int64_t b = first / plan.block; b * plan.block < first + plan.step_rows; ++b) {
        most = max(most, I32::load(largest + b * kTokens + v * kLanes));
      }
      const F32 range = range_of(most);
      inverse[v] = F32::set1(rule.usual) / range;
      (range * F32::set1(1 / rule.usual)).store(out.steps + step * kTokens + v * kLanes);
    });
    for (int64_t r = first; r < first + plan.step_rows; r += plan.block) {
      quantise_block<false, kVectors>(in + r * kTokens, plan.block, inverse, r / plan.block, words, out);
    }
  }
}

}  // namespace
}  // namespace lffn
