// SPDX-License-Identifier: Apache-2.0
// The products of product.h with int8 weights and inputs that quantise.h made whole numbers: exact sums, the same on
// every instruction set and in any order.
#pragma once

#include "kernels/kernels.h"
#include "kernels/product.h"
#include "kernels/quantise.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

// As many outputs of each of kTileVectorsInt8 tokens as the registers hold, with room for the products on their way.
constexpr int kOutputsInt8 = kRegisters == 32 && kByteDot ? 8 : 4;

// The inputs are the vectors here, and the raised ones.
struct RaisedProduct : IntegerProduct<kByteDot> {
  static I32 multiply(I32 inputs, I32 weight, I32 sums) {
    return IntegerProduct<kByteDot>::multiply(weight, inputs, sums);
  }
};

// One block's inputs.
struct BlockInputs {
  const int32_t* words;
  const int32_t* high;
  const int32_t* high_starts;
  const int32_t* listed;
  int32_t count;
};

inline BlockInputs block_inputs(const Quantised& from, int64_t block, int64_t block_words, int64_t tokens,
                                bool outliers) {
  return {from.words + block * block_words * tokens, from.high + block * block_words * tokens,
          from.high_starts + block * tokens, from.listed + block * block_words,
          kByteDot && outliers ? from.counts[block] : 0};
}

// out[kOutputs][tokens] = weights[words][kOutputs] * inputs, times their scales and steps[tokens]. `starts`:
// minus what the inputs' raising adds.
template <int kOutputs, int kVectors>
inline void product_int8_piece(const int32_t* weights, const int32_t* starts, const float* scales,
                               const BlockInputs& in, int64_t words, const float* steps, float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  I32 sums[kOutputs][kVectors];
  unroll<kOutputs>([&](auto o) LFFN_INLINE {
    const I32 start = I32::set1(kByteZero == 0 ? 0 : starts[o]);
    unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = start; });
  });
  if constexpr (kByteDot) {
    if (in.count > 0) {
      unroll<kOutputs>([&](auto o) LFFN_INLINE {
        unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = I32::load(in.high_starts + v * kLanes); });
      });
      for (int32_t i = 0; i < in.count; ++i) {
        const int64_t word = in.listed[i];
        I32 seconds[kVectors];
        unroll<kVectors>([&](auto v) LFFN_INLINE { seconds[v] = I32::load(in.high + word * kTokens + v * kLanes); });
        unroll<kOutputs>([&](auto o) LFFN_INLINE {
          const I32 weight = I32::set1(weights[word * kOutputs + o]) ^ I32::set1(kRaised);
          unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = dot_raised(sums[o][v], weight, seconds[v]); });
        });
      }
      unroll<kOutputs>([&](auto o) LFFN_INLINE {
        const I32 start = I32::set1(kByteZero == 0 ? 0 : starts[o]);
        unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = shift_left<8>(settled(sums[o][v])) + start; });
      });
    }
  }
  const int32_t* from = in.words;
  // The weights of the outputs after these lie behind them.
  const auto ask_ahead = [&](int64_t i) LFFN_INLINE { __builtin_prefetch(weights + (words + i) * kOutputs); };
  const auto add_word = [&](int64_t i) LFFN_INLINE {
    add_products<RaisedProduct>(
        sums, [&](auto v) LFFN_INLINE { return I32::load(from + i * kTokens + v * kLanes); },
        [&](auto o, int) LFFN_INLINE { return I32::set1(weights[i * kOutputs + o]); });
  };
  int64_t word = 0;
  if constexpr (kByteDot) {
    for (; word + 2 <= words; word += 2) {
      ask_ahead(word);
      add_word(word);
      add_word(word + 1);
    }
  }
  for (; word < words; ++word) add_word(word);
  F32 step[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { step[v] = F32::load(steps + v * kLanes); });
  unroll<kOutputs>([&](auto o) LFFN_INLINE {
    const F32 scale = F32::set1(scales[o]);
    unroll<kVectors>(
        [&](auto v) LFFN_INLINE { (to_float(sums[o][v]) * scale * step[v]).store(out + o * kTokens + v * kLanes); });
  });
}

// The same for `outputs` that are a power of two up to kOutputsInt8.
template <int kVectors>
void product_int8(int64_t outputs, const int32_t* weights, const int32_t* starts, const float* scales,
                  const BlockInputs& in, int64_t words, const float* steps, float* out) {
  if (outputs == kOutputsInt8) {
    return product_int8_piece<kOutputsInt8, kVectors>(weights, starts, scales, in, words, steps, out);
  }
  if (kOutputsInt8 > 4 && outputs == 4) {
    return product_int8_piece<4, kVectors>(weights, starts, scales, in, words, steps, out);
  }
  if (outputs == 2) return product_int8_piece<2, kVectors>(weights, starts, scales, in, words, steps, out);
  product_int8_piece<1, kVectors>(weights, starts, scales, in, words, steps, out);
}

}  // namespace
}  // namespace lffn
