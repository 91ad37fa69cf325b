// The int8 products for one token, the outputs side by side: the same numbers and sums as a tile's.
#pragma once

#include "kernels/kernels.h"
#include "kernels/product_int8.h"
#include "kernels/quantise.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

// The largest magnitude of some rows.
inline int32_t largest_of(const float* in, int64_t rows) {
  I32 most = I32::set1(0);
  int64_t r = 0;
  for (; r + kLanes <= rows; r += kLanes) most = larger_magnitude(most, F32::load(in + r));
  int32_t largest = largest_lane(most);
  for (; r < rows; ++r) {
    int32_t magnitude;
    __builtin_memcpy(&magnitude, in + r, sizeof magnitude);
    magnitude &= 0x7fffffff;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
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

inline F32 usual_of(const float* in, int64_t rows, const StepRule& rule) {
  const F32 range = range_of(I32::set1(largest_of(in, rows)));
  const F32 inverse = F32::set1(kMeanSteps) / range;
  I32 sums = I32::set1(0);
  for_vectors(in, rows, [&](F32 value, int64_t, int) LFFN_INLINE { sums = sums + mean_steps(value, inverse); });
  int32_t lanes[kLanes];
  sums.store(lanes);
  uint32_t sum = 0;
  for (const int32_t lane : lanes) sum += static_cast<uint32_t>(lane);
  return usual_range(rule, range, I32::set1(static_cast<int32_t>(sum)));
}

// Lists the words of a block that have second bytes.
inline void list_high(const int32_t* high, int64_t words, int32_t* listed, int32_t* count, int32_t* start) {
  int32_t found = 0;
  I32 sum = I32::set1(0);
  for (int64_t i = 0; i < words; ++i) {
    if (i + kLanes <= words && !any_bit(I32::load(high + i))) {
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

// The numbers of some rows, raised, as words.
template <bool kOutliers>
inline void token_words(const float* in, int64_t rows, F32 inverse, uint8_t* words, uint8_t* high) {
  const F32 round = F32::set1(kByteDot ? kRoundInLowBits + 128 : kRoundInLowBits);
  for_vectors(in, rows, [&](F32 value, int64_t first, int present) LFFN_INLINE {
    const I32 number = bits(fma(value, inverse, round));
    uint8_t rest[2 * kLanes];
    const size_t whole = (static_cast<size_t>(present) + kWordInputs - 1) / kWordInputs * kWordInputs;
    if constexpr (!kByteDot) {
      store_u16(number & I32::set1(0xffff), reinterpret_cast<uint16_t*>(rest));
      __builtin_memcpy(words + 2 * first, rest, present == kLanes ? sizeof rest : 2 * whole);
    } else {
      store_u8(kByteZero == 128 ? number : number ^ I32::set1(0x80), rest);
      __builtin_memcpy(words + first, rest, present == kLanes ? size_t{kLanes} : whole);
      if constexpr (kOutliers) {
        store_u8(shift_right<8>(number), rest);
        __builtin_memcpy(high + first, rest, present == kLanes ? size_t{kLanes} : whole);
      }
    }
  });
}

template <bool kOutliers>
inline void quantise_token(const HashPlan& plan, const float* in, const Quantised& out) {
  constexpr int kBytes = kByteDot ? 1 : 2;  // of a number
  const int64_t words = words_of(plan.block), width = plan.width;
  uint8_t* to = reinterpret_cast<uint8_t*>(out.words);
  uint8_t* high = reinterpret_cast<uint8_t*>(out.high);
  for (int64_t first = 0, step = 0; first < width; first += plan.step_rows, ++step) {
    const int64_t rows = width - first < plan.step_rows ? width - first : plan.step_rows;
    const StepRule rule = step_rule(plan.block, rows);
    const F32 usual = kOutliers ? usual_of(in + first, rows, rule) : range_of(I32::set1(largest_of(in + first, rows)));
    const F32 inverse = F32::set1(rule.usual) / usual;
    out.steps[step] = first_lane(usual * F32::set1(1 / rule.usual));
    if (plan.block % kWordInputs == 0 || plan.block == width) {
      token_words<kOutliers>(in + first, rows, inverse, to + first * kBytes, high + first);
      continue;
    }
    for (int64_t r = first; r < first + rows; r += plan.block) {
      const int64_t at = r / plan.block * words * kWordInputs;
      token_words<kOutliers>(in + r, plan.block, inverse, to + at * kBytes, high + at);
    }
  }
  if constexpr (kByteDot && kOutliers) {
    for (int64_t first = 0, b = 0; first < width; first += plan.block, ++b) {
      const int64_t rows = width - first < plan.block ? width - first : plan.block;
      list_high(out.high + b * words, words_of(rows), out.listed + b * words, out.counts + b, out.high_starts + b);
    }
  }
}

// Four bytes or two, sign-extended, of each of as many outputs as there are lanes.
inline I32 load_weights(const int8_t* at) {
  if constexpr (kByteDot) return I32::load(reinterpret_cast<const int32_t*>(at));
  return load_pairs(at);
}

// kPanels panels, `kOfBlock` of each block from `block` on: out = or += the products times their scales and the step.
template <int kPanels, int kOfBlock>
LFFN_INLINE inline void token_piece(const int8_t* weights, const int32_t* starts, const float* scales,
                                    const Quantised& in, bool outliers, int64_t block, int64_t block_words,
                                    int64_t words, float step, bool add, float* out) {
  constexpr int kVectors = static_cast<int>(kPanel) / kLanes;
  const auto weight_of = [&](int panel, int64_t word, int v) LFFN_INLINE {
    return load_weights(weights + ((panel * words + word) * kPanel + v * kLanes) * kWordInputs);
  };
  const int32_t* token = in.words + block * block_words;
  I32 sums[kPanels][kVectors];
  unroll<kPanels>([&](auto p) LFFN_INLINE {
    const int64_t b = block + p / kOfBlock;
    const int32_t count = kByteDot && outliers ? in.counts[b] : 0;
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      I32 sum = I32::set1(0);
      if (count > 0) {
        sum = I32::set1(in.high_starts[b]);
        for (int32_t i = 0; i < count; ++i) {
          const int64_t word = in.listed[b * block_words + i];
          const I32 second = I32::set1(in.high[b * block_words + word]);
          sum = dot_raised(sum, weight_of(p, word, v) ^ I32::set1(kRaised), second);
        }
        sum = shift_left<8>(sum);
      }
      sums[p][v] = kByteZero == 0 ? sum : sum + I32::load(starts + p * kPanel + v * kLanes);
    });
  });
  for (int64_t i = 0; i < words; ++i) {
    unroll<kPanels>([&](auto p) LFFN_INLINE {
      const I32 number = I32::set1(token[p / kOfBlock * block_words + i]);
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        if constexpr (kByteDot) {
          sums[p][v] = dot_raised(sums[p][v], number, weight_of(p, i, v));
        } else {
          sums[p][v] = dot_pairs_here(sums[p][v], weight_of(p, i, v), number);
        }
      });
    });
  }
  unroll<kPanels>([&](auto p) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const int at = p * static_cast<int>(kPanel) + v * kLanes;
      const F32 value = to_float(sums[p][v]) * F32::load(scales + at) * F32::set1(step);
      (add ? F32::load(out + at) + value : value).store(out + at);
    });
  });
}

// One block, or piece of a dense projection's inputs, with all its outputs.
inline void token_block(const int8_t* weights, const int32_t* starts, const float* scales, int64_t outputs,
                        const Quantised& in, bool outliers, int64_t block, int64_t block_words, int64_t words,
                        float step, bool add, float* out) {
  int64_t o = 0;
  for (; o + 4 * kPanel <= outputs; o += 4 * kPanel) {
    token_piece<4, 4>(weights + o * words * kWordInputs, starts + o, scales + o, in, outliers, block, block_words,
                      words, step, add, out + o);
  }
  for (; o + kPanel <= outputs; o += kPanel) {
    token_piece<1, 1>(weights + o * words * kWordInputs, starts + o, scales + o, in, outliers, block, block_words,
                      words, step, add, out + o);
  }
  if (o == outputs) return;
  // Fewer outputs than a panel.
  const uint8_t* low = reinterpret_cast<const uint8_t*>(in.words + block * block_words);
  const int8_t* high = reinterpret_cast<const int8_t*>(in.high + block * block_words);
  const bool seconds = kByteDot && outliers && in.counts[block] > 0;
  for (; o < outputs; ++o) {
    int32_t sum = 0;
    for (int64_t i = 0; i < words * kWordInputs; ++i) {
      const int8_t weight = weights[(i / kWordInputs * outputs + o) * kWordInputs + i % kWordInputs];
      int32_t number;
      if constexpr (kByteDot) {
        number = (low[i] ^ (kByteZero == 0 ? 0x80 : 0)) - 128 + (seconds ? 256 * high[i] : 0);
      } else {
        number = static_cast<int16_t>(low[2 * i] | low[2 * i + 1] << 8);
      }
      sum += weight * number;
    }
    const float value = static_cast<float>(sum) * scales[o] * step;
    out[o] = add ? out[o] + value : value;
  }
}

// All blocks of one factor.
inline void token_factor(const HashPlan& plan, const int8_t* weights, const int32_t* starts, const float* scales,
                         const Quantised& in, bool outliers, float* out) {
  const int64_t block = plan.block, words = words_of(block), width = plan.width;
  // Four panels of several small blocks, which share a step.
  constexpr int64_t kRows = 4 * kPanel;
  if ((block == kPanel || block == 2 * kPanel) && plan.step_rows == kRows) {
    for (int64_t row = 0; row < width; row += kRows, weights += kRows * words * kWordInputs) {
      const float step = in.steps[row / kRows];
      if (block == kPanel) {
        token_piece<4, 1>(weights, starts + row, scales + row, in, outliers, row / block, words, words, step, false,
                          out + row);
      } else {
        token_piece<4, 2>(weights, starts + row, scales + row, in, outliers, row / block, words, words, step, false,
                          out + row);
      }
    }
    return;
  }
  for (int64_t row = 0; row < width; row += block, weights += block * words * kWordInputs) {
    token_block(weights, starts + row, scales + row, block, in, outliers, row / block, words, words,
                in.steps[row / plan.step_rows], false, out + row);
  }
}

}  // namespace
}  // namespace lffn
