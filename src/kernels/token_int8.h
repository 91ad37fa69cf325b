// SPDX-License-Identifier: Apache-2.0
// The int8 products for one token, the outputs side by side: the same numbers and sums as a tile's.
#pragma once

#include "kernels/kernels.h"
#include "kernels/product_int8.h"
#include "kernels/quantise.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

// Four bytes or two, sign-extended, of each of as many outputs as there are lanes.
inline I32 load_weights(const int8_t* at) {
  if constexpr (kByteDot) return I32::load(reinterpret_cast<const int32_t*>(at));
  return load_pairs(at);
}

// kPanels panels, `kOfBlock` of each block from `block` on: out = the products times their scales and the step.
template <int kPanels, int kOfBlock>
LFFN_INLINE inline void token_piece(const int8_t* weights, const int32_t* starts, const float* scales,
                                    const Quantised& in, bool outliers, int64_t block, int64_t block_words,
                                    int64_t words, float step, float* out) {
  constexpr int kVectors = static_cast<int>(kPanel) / kLanes;
  const auto weight_of = [&](int panel, int64_t word, int v) LFFN_INLINE {
    return load_weights(weights + ((panel * words + word) * kPanel + v * kLanes) * kWordInputs);
  };
  const int32_t* token = in.words + block * block_words;
  // The panels of a block side by side.
  I32 sums[kPanels / kOfBlock][1][kOfBlock * kVectors];
  const auto sum_of = [&](auto p, auto v) LFFN_INLINE -> I32& {
    constexpr int kIndex = decltype(p)::value;
    return sums[kIndex / kOfBlock][0][kIndex % kOfBlock * kVectors + decltype(v)::value];
  };
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
      sum_of(p, v) = kByteZero == 0 ? sum : sum + I32::load(starts + p * kPanel + v * kLanes);
    });
  });
  for (int64_t i = 0; i < words; ++i) {
    unroll<kPanels / kOfBlock>([&](auto b) LFFN_INLINE {
      const auto weight = [&](auto v) LFFN_INLINE {
        constexpr int kIndex = decltype(v)::value;
        return weight_of(b * kOfBlock + kIndex / kVectors, i, kIndex % kVectors);
      };
      add_products<IntegerProduct<kByteDot>>(
          sums[b], weight, [&](auto, int) LFFN_INLINE { return I32::set1(token[b * block_words + i]); });
    });
  }
  unroll<kPanels>([&](auto p) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const int at = p * static_cast<int>(kPanel) + v * kLanes;
      const F32 value = to_float(sum_of(p, v)) * F32::load(scales + at) * F32::set1(step);
      value.store(out + at);
    });
  });
}

// One block with all its outputs.
inline void token_block(const int8_t* weights, const int32_t* starts, const float* scales, int64_t outputs,
                        const Quantised& in, bool outliers, int64_t block, int64_t block_words, int64_t words,
                        float step, float* out) {
  int64_t o = 0;
  for (; o + 4 * kPanel <= outputs; o += 4 * kPanel) {
    token_piece<4, 4>(weights + o * words * kWordInputs, starts + o, scales + o, in, outliers, block, block_words,
                      words, step, out + o);
  }
  for (; o + kPanel <= outputs; o += kPanel) {
    token_piece<1, 1>(weights + o * words * kWordInputs, starts + o, scales + o, in, outliers, block, block_words,
                      words, step, out + o);
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
    out[o] = value;
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
        token_piece<4, 1>(weights, starts + row, scales + row, in, outliers, row / block, words, words, step,
                          out + row);
      } else {
        token_piece<4, 2>(weights, starts + row, scales + row, in, outliers, row / block, words, words, step,
                          out + row);
      }
    }
    return;
  }
  for (int64_t row = 0; row < width; row += block, weights += block * words * kWordInputs) {
    token_block(weights, starts + row, scales + row, block, in, outliers, row / block, words, words,
                in.steps[row / plan.step_rows], out + row);
  }
}

}  // namespace
}  // namespace lffn
