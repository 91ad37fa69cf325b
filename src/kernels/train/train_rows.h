// SPDX-License-Identifier: Apache-2.0
// What training does to a single token's row: layer norm and scores, both ways.
#pragma once

#include "kernels/hash/score.h"
#include "kernels/hash/transform.h"
#include "kernels/linear/quantise.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"
#include "kernels/train/train_kernels.h"

namespace lffn {
namespace {

// The sum of value(i) over [0, size), always paired the same way. value gives whole vectors, value1 single numbers.
template <typename Value, typename Value1>
inline float row_sum(int64_t size, Value&& value, Value1&& value1) {
  constexpr int kVectors = kPartialSums / kLanes;
  F32 sums[kVectors];
  float partial[kPartialSums];
  for (F32& sum : sums) sum = F32::set1(0);
  int64_t i = 0;
  for (; i + kPartialSums <= size; i += kPartialSums) {
    for (int v = 0; v < kVectors; ++v) sums[v] = sums[v] + value(i + v * kLanes);
  }
  for (int v = 0; v < kVectors; ++v) sums[v].store(partial + v * kLanes);
  for (int p = 0; i + p < size; ++p) partial[p] += value1(i + p);
  return add_up(partial);
}

void train_normalise(const float* x, int64_t size, float eps, const float* gain, const float* shift, float* u,
                     float* stats) {
  normalise_token({size, eps, gain, shift}, x, u);
  const float count = static_cast<float>(size);
  const float mean = row_sum(
                         size, [&](int64_t i) { return F32::load(x + i); }, [&](int64_t i) { return x[i]; }) /
                     count;
  const float variance = row_sum(
                             size,
                             [&](int64_t i) {
                               const F32 centred = F32::load(x + i) - F32::set1(mean);
                               return centred * centred;
                             },
                             [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); }) /
                         count;
  stats[0] = mean;
  stats[1] = 1.0f / __builtin_sqrtf(variance + eps);
}

void train_normalise_backward(const float* x, int64_t size, const float* stats, const float* gain, const float* du,
                              float* dx, float* gain_grads, float* shift_grads) {
  const float mean = stats[0], scale = stats[1];
  const float count = static_cast<float>(size);
  const auto normal = [&](int64_t i) { return (F32::load(x + i) - F32::set1(mean)) * F32::set1(scale); };
  const auto normal1 = [&](int64_t i) { return (x[i] - mean) * scale; };
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const F32 d = F32::load(du + i);
    fma(d, normal(i), F32::load(gain_grads + i)).store(gain_grads + i);
    (F32::load(shift_grads + i) + d).store(shift_grads + i);
  }
  for (; i < size; ++i) {
    gain_grads[i] += du[i] * normal1(i);
    shift_grads[i] += du[i];
  }
  if (dx == nullptr) return;
  const auto scaled = [&](int64_t k) { return F32::load(du + k) * F32::load(gain + k); };
  const auto scaled1 = [&](int64_t k) { return du[k] * gain[k]; };
  const float average = row_sum(size, scaled, scaled1) / count;
  const float along =
      row_sum(
          size, [&](int64_t k) { return scaled(k) * normal(k); }, [&](int64_t k) { return scaled1(k) * normal1(k); }) /
      count;
  for (i = 0; i + kLanes <= size; i += kLanes) {
    const F32 d = scaled(i) - F32::set1(average) - normal(i) * F32::set1(along);
    (d * F32::set1(scale)).store(dx + i);
  }
  for (; i < size; ++i) dx[i] = (scaled1(i) - average - normal1(i) * along) * scale;
}

// e[i] = exp(-2 |z[i]|), written to the end of the last vector.
inline void decays(const float* z, int64_t count, float* e) {
  for_vectors(z, count,
              [&](F32 value, int64_t i, int) LFFN_INLINE { exp_negative(abs(value) * F32::set1(-2.0f)).store(e + i); });
}

// Bits is int32_t, or a Constant, so that the loops over a table's hash values are unrolled.
template <typename Bits>
inline void score_tables(const float* z, int32_t num_tables, Bits code_bits, bool sigmoid, uint16_t* codes,
                         float* scores, int64_t stride, const float* e) {
  for (int32_t k = 0; k < num_tables; ++k, z += code_bits, e += code_bits) {
    uint32_t code = 0;
    float sum = 0, product = 1;
    for (int32_t j = 0; j < code_bits; ++j) {
      code |= (z[j] > 0 ? 1u : 0u) << (code_bits - 1 - j);
      sum += __builtin_fabsf(z[j]);
      product *= 1.0f + e[j];
    }
    codes[k * stride] = static_cast<uint16_t>(code);
    scores[k * stride] = (sigmoid ? 1.0f : sum) / product;
  }
}

template <typename Run>
inline void with_code_bits(int32_t code_bits, Run&& run) {
  switch (code_bits) {
    case 8:
      return run(Constant<8>());
    case 6:
      return run(Constant<6>());
    case 4:
      return run(Constant<4>());
    default:
      return run(code_bits);
  }
}

void train_score(const float* z, int32_t num_tables, int32_t code_bits, bool sigmoid, uint16_t* codes, float* scores,
                 int64_t stride, float* scratch) {
  decays(z, int64_t{num_tables} * code_bits, scratch);
  with_code_bits(code_bits,
                 [&](auto bits) { score_tables(z, num_tables, bits, sigmoid, codes, scores, stride, scratch); });
}

void train_score_backward(const float* z, int32_t num_tables, int32_t code_bits, bool sigmoid, const float* score_grads,
                          int64_t stride, float* dz, float* scratch) {
  decays(z, int64_t{num_tables} * code_bits, scratch);
  for (int32_t k = 0; k < num_tables; ++k, z += code_bits, dz += code_bits, scratch += code_bits) {
    float sum = 0, product = 1;
    for (int32_t j = 0; j < code_bits; ++j) {
      sum += __builtin_fabsf(z[j]);
      product *= 1.0f + scratch[j];
    }
    const float outer = score_grads[k * stride] / product;
    for (int32_t j = 0; j < code_bits; ++j) {
      const float q = 2.0f * scratch[j] / (1.0f + scratch[j]);
      const float sign = z[j] > 0 ? 1.0f : z[j] < 0 ? -1.0f : z[j] * 0.0f;
      dz[j] = outer * sign * (sigmoid ? q : 1.0f + sum * q);
    }
  }
}

}  // namespace
}  // namespace lffn
