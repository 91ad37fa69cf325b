// SPDX-License-Identifier: Apache-2.0
// What surrounds the products of a hash: the way into a tile, the layer norm, the Hadamard butterflies.
#pragma once

#include "kernels/kernels.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

#if defined(__AVX512F__) || !defined(__aarch64__)
constexpr int kTileVectors = 3;
#else
constexpr int kTileVectors = 4;
#endif
constexpr int kTileVectorsInt8 = 2;
// How many tokens are hashed at once; the int8 form takes fewer.
constexpr int32_t kTileTokens = kTileVectors * kLanes;
constexpr int32_t kCallTokens = kTileTokens * kTileVectorsInt8;  // whole tiles of either form

// rows[tokens][features] -> tile[features][kTokens]; lanes without a token are zero.
template <int kVectors>
void load_tile(const float* x, int64_t x_stride, int32_t num_tokens, int64_t features, float* tile) {
  constexpr int32_t kTokens = kVectors * kLanes;
  int32_t t = 0;
  for (; t + kLanes <= num_tokens; t += kLanes) {
    const float* rows = x + t * x_stride;
    int64_t f = 0;
    for (; f + kLanes <= features; f += kLanes) native_transpose(rows + f, x_stride, tile + f * kTokens + t, kTokens);
    for (; f < features; ++f) {
      for (int32_t i = 0; i < kLanes; ++i) tile[f * kTokens + t + i] = rows[i * x_stride + f];
    }
  }
  for (; t < kTokens; t += 4) {
    int64_t f = 0;
    if (t + 4 <= num_tokens) {
      const float* rows = x + t * x_stride;
      for (; f + 4 <= features; f += 4) {
        transpose4(rows + f, rows + x_stride + f, rows + 2 * x_stride + f, rows + 3 * x_stride + f,
                   tile + f * kTokens + t, kTokens);
      }
    }
    for (; f < features; ++f) {
      for (int32_t i = t; i < t + 4; ++i) tile[f * kTokens + i] = i < num_tokens ? x[i * x_stride + f] : 0.0f;
    }
  }
}

// The sum of kPartialSums sums, always paired the same way.
template <typename Number>
inline Number add_up(Number* partial) {
  for (int half = kPartialSums / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) partial[i] = partial[i] + partial[i + half];
  }
  return partial[0];
}

template <int kVectors>
void normalise_tile(const NormPlan& plan, float* tile) {
  constexpr int64_t kTokens = kVectors * kLanes;
  const int64_t n = plan.size;
  const F32 size = F32::set1(static_cast<float>(n));
  for (int v = 0; v < kVectors; ++v) {
    float* column = tile + v * kLanes;
    F32 sums[kPartialSums];
    for (F32& sum : sums) sum = F32::set1(0);
    int64_t f = 0;
    for (; f + kPartialSums <= n; f += kPartialSums) {
      for (int i = 0; i < kPartialSums; ++i) sums[i] = sums[i] + F32::load(column + (f + i) * kTokens);
    }
    for (int i = 0; f + i < n; ++i) sums[i] = sums[i] + F32::load(column + (f + i) * kTokens);
    const F32 mean = add_up(sums) / size;
    for (F32& sum : sums) sum = F32::set1(0);
    const auto add_square = [&](int64_t feature, F32& sum) {
      const F32 centred = F32::load(column + feature * kTokens) - mean;
      sum = fma(centred, centred, sum);
    };
    for (f = 0; f + kPartialSums <= n; f += kPartialSums) {
      for (int i = 0; i < kPartialSums; ++i) add_square(f + i, sums[i]);
    }
    for (int i = 0; f + i < n; ++i) add_square(f + i, sums[i]);
    const F32 scale = F32::set1(1) / sqrt(add_up(sums) / size + F32::set1(plan.eps));
    for (f = 0; f < n; ++f) {
      const F32 u = (F32::load(column + f * kTokens) - mean) * scale;
      fma(u, F32::set1(plan.gain[f]), F32::set1(plan.shift[f])).store(column + f * kTokens);
    }
  }
}

// Some rows side by side, which hide each other's latency: the order of a row's sums leaves no other way.
template <int kRows>
inline void normalise_rows(const NormPlan& plan, const float* x, int64_t x_stride, float* u, int64_t u_stride) {
  constexpr int kVectors = kPartialSums / kLanes;
  const int64_t n = plan.size;
  const float size = static_cast<float>(n);
  float partial[kRows][kPartialSums], mean[kRows], scale[kRows];
  F32 sums[kRows][kVectors];
  // The total of add(row, feature, sum) and of add_one, its form for one number, over all features of each row.
  const auto sum_up = [&](auto&& add, auto&& add_one, float* totals) LFFN_INLINE {
    unroll<kRows>([&](auto r)
                      LFFN_INLINE { unroll<kVectors>([&](auto v) LFFN_INLINE { sums[r][v] = F32::set1(0); }); });
    int64_t f = 0;
    for (; f + kPartialSums <= n; f += kPartialSums) {
      unroll<kRows>([&](auto r) LFFN_INLINE {
        unroll<kVectors>(
            [&](auto v) LFFN_INLINE { sums[r][v] = add(r, F32::load(x + r * x_stride + f + v * kLanes), sums[r][v]); });
      });
    }
    unroll<kRows>([&](auto r) LFFN_INLINE {
      unroll<kVectors>([&](auto v) LFFN_INLINE { sums[r][v].store(partial[r] + v * kLanes); });
      for (int i = 0; f + i < n; ++i) partial[r][i] = add_one(r, x[r * x_stride + f + i], partial[r][i]);
      totals[r] = add_up(static_cast<float*>(partial[r]));
    });
  };
  if (plan.rms) {
    for (float& none : mean) none = 0;
  } else {
    sum_up([](int, F32 value, F32 sum) LFFN_INLINE { return sum + value; },
           [](int, float value, float sum) LFFN_INLINE { return sum + value; }, mean);
    for (float& total : mean) total = total / size;
  }
  sum_up(
      [&](int r, F32 value, F32 sum) LFFN_INLINE {
        const F32 centred = value - F32::set1(mean[r]);
        return fma(centred, centred, sum);
      },
      [&](int r, float value, float sum) LFFN_INLINE { return fma1(value - mean[r], value - mean[r], sum); }, scale);
  for (float& total : scale) total = 1.0f / __builtin_sqrtf(total / size + plan.eps);

  int64_t f = 0;
  for (; f + kLanes <= n; f += kLanes) {
    unroll<kRows>([&](auto r) LFFN_INLINE {
      const F32 centred = (F32::load(x + r * x_stride + f) - F32::set1(mean[r])) * F32::set1(scale[r]);
      fma(centred, F32::load(plan.gain + f), F32::load(plan.shift + f)).store(u + r * u_stride + f);
    });
  }
  for (; f < n; ++f) {
    for (int r = 0; r < kRows; ++r) {
      u[r * u_stride + f] = fma1((x[r * x_stride + f] - mean[r]) * scale[r], plan.gain[f], plan.shift[f]);
    }
  }
}

inline void normalise_token(const NormPlan& plan, const float* x, float* u) { normalise_rows<1>(plan, x, 0, u, 0); }

// `kStages` stages at once over 2^kStages blocks that lie `distance` floats apart.
template <int kStages>
inline void butterfly_piece(float* y, int64_t distance, int64_t length) {
  constexpr int kBlocks = 1 << kStages;
  int64_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    F32 b[kBlocks];
    for (int k = 0; k < kBlocks; ++k) b[k] = F32::load(y + k * distance + i);
    for (int s = 1; s < kBlocks; s *= 2) {
      for (int k = 0; k < kBlocks; ++k) {
        if ((k & s) != 0) continue;
        const F32 low = b[k], high = b[k + s];
        b[k] = low + high;
        b[k + s] = low - high;
      }
    }
    for (int k = 0; k < kBlocks; ++k) b[k].store(y + k * distance + i);
  }
  for (; i < length; ++i) {
    for (int s = 1; s < kBlocks; s *= 2) {
      for (int k = 0; k < kBlocks; ++k) {
        if ((k & s) != 0) continue;
        const float low = y[k * distance + i], high = y[(k + s) * distance + i];
        y[k * distance + i] = low + high;
        y[(k + s) * distance + i] = low - high;
      }
    }
  }
}

template <int kStages>
inline void butterfly_stages(float* y, int64_t blocks, int64_t length, int64_t step) {
  for (int64_t outer = 0; outer < blocks; outer += step << kStages) {
    for (int64_t inner = 0; inner < step; ++inner) {
      butterfly_piece<kStages>(y + (outer + inner) * length, step * length, length);
    }
  }
}

// Multiplies by H over the index of the blocks: `blocks` of them, `length` floats each, one after another.
inline void butterflies(float* y, int64_t blocks, int64_t length) {
  int64_t step = 1;
  for (; step * 8 <= blocks; step *= 8) butterfly_stages<3>(y, blocks, length, step);
  if (step * 4 <= blocks) {
    butterfly_stages<2>(y, blocks, length, step);
  } else if (step * 2 <= blocks) {
    butterfly_stages<1>(y, blocks, length, step);
  }
}

}  // namespace
}  // namespace lffn
