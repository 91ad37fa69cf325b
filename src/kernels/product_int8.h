// The products of product.h with int8 weights. Each token's inputs become integers of at most 14 bits with one scale,
// so that the sums are exact: the same on every instruction set and in any order.
#pragma once

#include "kernels/kernels.h"
#include "kernels/product.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

constexpr float kRoundInLowBits = 12582912.0f;  // adding it leaves the rounded number in the lowest bits
constexpr float kSmallestRange = 1e-30f;        // below it a token counts as zero

inline int64_t pairs_of(int64_t inputs) { return (inputs + 1) / 2; }

// Two numbers that went through kRoundInLowBits, side by side as int16.
inline I32 pack_pair(F32 low, F32 high) { return low_and_high(bits(low), shift_left<16>(bits(high))); }

// As integers, magnitudes keep their order, and NaN is the largest: it must reach the step size.
inline I32 larger_magnitude(I32 largest, F32 value) { return max(largest, bits(value) & I32::set1(0x7fffffff)); }

template <int kVectors>
void find_largest(const float* in, int64_t rows, I32* largest) {
  unroll<kVectors>([&](auto v) LFFN_INLINE { largest[v] = I32::set1(0); });
  for (int64_t r = 0; r < rows; ++r, in += kVectors * kLanes) {
    unroll<kVectors>([&](auto v)
                         LFFN_INLINE { largest[v] = larger_magnitude(largest[v], F32::load(in + v * kLanes)); });
  }
}

// in[rows][kTokens], blocks of `block` rows -> pairs of rows. Multiplies each token's scale by what one step is worth.
template <int kVectors>
void quantise_tile(const float* in, int64_t rows, int64_t block, float steps, const I32* largest, int32_t* pairs,
                   F32* scale) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const F32 round = F32::set1(kRoundInLowBits);
  F32 inverse[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE {
    const F32 range = max(F32::set1(kSmallestRange), from_bits(largest[v]));
    inverse[v] = F32::set1(steps) / range;
    scale[v] = scale[v] * (range / F32::set1(steps));
  });
  for (int64_t first = 0; first < rows; first += block) {
    for (int64_t r = first; r < first + block; r += 2, pairs += kTokens) {
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        const float* at = in + r * kTokens + v * kLanes;
        const F32 low = fma(F32::load(at), inverse[v], round);
        const F32 high = r + 1 < first + block ? fma(F32::load(at + kTokens), inverse[v], round) : round;
        pack_pair(low, high).store(pairs + v * kLanes);
      });
    }
  }
}

template <int kOutputs, int kVectors>
inline void product_int8_piece(const int32_t* weights, const float* scales, int64_t panel, const int32_t* in,
                               int64_t pairs, float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  I32 sums[kOutputs][kVectors];
  unroll<kOutputs>([&](auto o)
                       LFFN_INLINE { unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = I32::set1(0); }); });
#pragma GCC unroll 2
  for (int64_t i = 0; i < pairs; ++i) {
    I32 tokens[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE { tokens[v] = I32::load(in + i * kTokens + v * kLanes); });
    unroll<kOutputs>([&](auto o) LFFN_INLINE {
      const I32 weight = I32::set1(weights[i * panel + o]);
      unroll<kVectors>([&](auto v) LFFN_INLINE { sums[o][v] = dot_pairs_here(sums[o][v], weight, tokens[v]); });
    });
  }
  unroll<kOutputs>([&](auto o) LFFN_INLINE {
    const F32 scale = F32::set1(scales[o]);
    unroll<kVectors>([&](auto v) LFFN_INLINE { (to_float(sums[o][v]) * scale).store(out + o * kTokens + v * kLanes); });
  });
}

// As many vectors of tokens as leave room for four outputs of each, and for the products on their way to the sums.
constexpr int kTileVectorsInt8 = kRegisters == 32 ? 3 : 2;
constexpr int kOutputsInt8 = 4;

// One panel: out[panel][tokens] = scales * (weights * in); `in` are pairs of inputs.
template <int kVectors>
void product_int8_panel(const int16_t* weights, const float* scales, int64_t panel, const int32_t* in, int64_t pairs,
                        float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const int32_t* words = reinterpret_cast<const int32_t*>(weights);
  if (panel >= kOutputsInt8) {
    for (int64_t o = 0; o < panel; o += kOutputsInt8) {
      product_int8_piece<kOutputsInt8, kVectors>(words + o, scales + o, panel, in, pairs, out + o * kTokens);
    }
  } else {
    for (int64_t o = 0; o < panel; ++o) {
      product_int8_piece<1, kVectors>(words + o, scales + o, panel, in, pairs, out + o * kTokens);
    }
  }
}

// One token: in[rows] -> pairs, and what one step is worth.
inline float quantise_token(const float* in, int64_t rows, int64_t block, float steps, int32_t* pairs) {
  I32 lanes = I32::set1(0);
  int64_t r = 0;
  for (; r + kLanes <= rows; r += kLanes) lanes = max(lanes, bits(F32::load(in + r)) & I32::set1(0x7fffffff));
  int32_t magnitudes[kLanes], largest = 0;
  lanes.store(magnitudes);
  for (const int32_t magnitude : magnitudes) largest = magnitude > largest ? magnitude : largest;
  for (; r < rows; ++r) {
    int32_t magnitude;
    __builtin_memcpy(&magnitude, in + r, sizeof magnitude);
    magnitude &= 0x7fffffff;
    largest = magnitude > largest ? magnitude : largest;
  }
  float range;
  __builtin_memcpy(&range, &largest, sizeof range);
  range = range < kSmallestRange ? kSmallestRange : range;
  const F32 inverse = F32::set1(steps / range), round = F32::set1(kRoundInLowBits);
  uint8_t* to = reinterpret_cast<uint8_t*>(pairs);
  const auto put = [&](const float* numbers, int64_t count) LFFN_INLINE {
    uint16_t rounded[kLanes];
    store_u16(bits(fma(F32::load(numbers), inverse, round)) & I32::set1(0xffff), rounded);
    __builtin_memcpy(to, rounded, static_cast<size_t>(count) * sizeof *rounded);
    to += count * static_cast<int64_t>(sizeof *rounded);
  };
  for (int64_t first = 0; first < rows; first += block) {
    int64_t i = 0;
    for (; i + kLanes <= block; i += kLanes) put(in + first + i, kLanes);
    if (i == block) continue;
    float rest[kLanes] = {};
    for (int64_t n = i; n < block; ++n) rest[n - i] = in[first + n];
    put(rest, 2 * pairs_of(block - i));
  }
  return range / steps;
}

template <int kPanels>
inline void product_int8_token_piece(const int8_t* weights, const float* scales, const int32_t* in, int64_t pairs,
                                     float* out) {
  constexpr int kVectors = static_cast<int>(kPanel) / kLanes;
  I32 sums[kPanels][kVectors];
  unroll<kPanels>([&](auto p)
                      LFFN_INLINE { unroll<kVectors>([&](auto v) LFFN_INLINE { sums[p][v] = I32::set1(0); }); });
  for (int64_t i = 0; i < pairs; ++i) {
    const I32 token = I32::set1(in[i]);
    unroll<kPanels>([&](auto p) LFFN_INLINE {
      const int8_t* row = weights + (p * pairs + i) * kPanel * 2;
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        sums[p][v] = dot_pairs_here(sums[p][v], load_pairs(row + v * kLanes * 2), token);
      });
    });
  }
  unroll<kPanels>([&](auto p) LFFN_INLINE {
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const int at = p * static_cast<int>(kPanel) + v * kLanes;
      (to_float(sums[p][v]) * F32::load(scales + at)).store(out + at);
    });
  });
}

// The weights are those of product_int8_tile as bytes: one token is done before more of them would come from the cache.
inline void product_int8_token(const int8_t* weights, const float* scales, int64_t panel, const int32_t* in,
                               int64_t pairs, int64_t outputs, float* out) {
  int64_t p = 0;
  if (panel == kPanel) {
    for (; p + 4 * kPanel <= outputs; p += 4 * kPanel) {
      product_int8_token_piece<4>(weights + p * pairs * 2, scales + p, in, pairs, out + p);
    }
    for (; p + kPanel <= outputs; p += kPanel) {
      product_int8_token_piece<1>(weights + p * pairs * 2, scales + p, in, pairs, out + p);
    }
  }
  for (; p < outputs; p += panel) {
    for (int64_t o = 0; o < panel; ++o) {
      int32_t sum = 0;
      for (int64_t i = 0; i < pairs; ++i) {
        const int8_t* pair = weights + (p * pairs + i * panel + o) * 2;
        sum += pair[0] * static_cast<int16_t>(in[i]) + pair[1] * (in[i] >> 16);
      }
      out[p + o] = static_cast<float>(sum) * scales[p + o];
    }
  }
}

}  // namespace
}  // namespace lffn
