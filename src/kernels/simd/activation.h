// SPDX-License-Identifier: Apache-2.0
// Nonlinear functions of single numbers, one in each lane.
#pragma once

#include "kernels/simd/exponential.h"
#include "kernels/simd/simd.h"

namespace lffn {
namespace {

// x * Phi(x), with the exact normal distribution: within 5e-8 of it plus 2 units in the last place.
inline F32 gelu(F32 x) {
  // ln(Phi(-a)) as a polynomial; beyond 8 what is left of Phi(-a) is below 1e-15.
  constexpr float kTail[] = {-0.6931471228599548f,     -0.7978883385658264f,   -0.3182782232761383f,
                             -0.036437518894672394f,   0.004945937544107437f,  -0.00010892873251577839f,
                             -0.00013986657722853124f, 3.681547968881205e-05f, -4.738024017569842e-06f,
                             3.2116199122356193e-07f,  -9.087831820409065e-09f};
  constexpr int kDegree = sizeof kTail / sizeof kTail[0] - 1;
  const F32 a = min(F32::set1(8.0f), abs(x));
  F32 log_tail = F32::set1(kTail[kDegree]);
  for (int i = kDegree - 1; i >= 0; --i) log_tail = fma(log_tail, a, F32::set1(kTail[i]));
  return max(F32::set1(0), x) - a * exp_negative(log_tail);
}

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), which is x divided by 1 + exp(-2 ...).
inline F32 gelu_tanh(F32 x) {
  const F32 a = min(F32::set1(10.0f), abs(x));  // exp(-87) beyond
  const F32 twice = a * fma(a * a, F32::set1(-0.07135481627f), F32::set1(-1.5957691216f));
  const Exponential e = exponential(twice);
  const F32 power = fma(e.scale, e.rest, e.scale);
  return max(F32::set1(0), x) - a * (power / (F32::set1(1) + power));
}

inline F32 relu(F32 x) { return max(F32::set1(0), x); }

inline F32 tanh(F32 x) {
  const Exponential e = exponential(abs(x) * F32::set1(-2.0f));
  const F32 lowered = fma(e.scale, e.rest, e.scale - F32::set1(1));
  const I32 sign = bits(x) & I32::set1(static_cast<int32_t>(0x80000000));
  return from_bits(bits((F32::set1(0) - lowered) / (F32::set1(2) + lowered)) | sign);
}

inline F32 sigmoid(F32 x) {
  const F32 one = F32::set1(1);
  const Exponential e = exponential(F32::set1(0) - abs(x));
  const F32 power = fma(e.scale, e.rest, e.scale);
  return max(from_bits(bits(one) & positive(x)), power) / (one + power);
}

// x * sigmoid(x). x is cut at -88: what sigmoid() gives below that would be too large for an infinite factor.
inline F32 silu(F32 x) { return max(F32::set1(-88.0f), x) * sigmoid(x); }

}  // namespace
}  // namespace lffn
