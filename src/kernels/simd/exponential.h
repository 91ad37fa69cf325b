// SPDX-License-Identifier: Apache-2.0
// exp(x) for x <= 0 as a whole power of 2 times the exponential of what is left: one for sums and softmax, and one with
// a few more operations for what must be accurate near 0, too.
#pragma once

#include "kernels/simd/rounding.h"
#include "kernels/simd/simd.h"

namespace lffn {
namespace {

constexpr float kLog2E = 1.44269504f;

// Adding it rounds to an integer, biased as an exponent.
constexpr float kRoundToExponent = kRoundInLowBits + 127.0f;
inline F32 power_of_two(F32 rounded) { return from_bits(shift_left<23>(bits(rounded))); }

// 2^t for t <= 0, within 2 units in the last place; 2^-126 for anything below.
inline F32 exp2_negative(F32 t) {
  t = max(F32::set1(-126.0f), t);
  const F32 rounded = t + F32::set1(kRoundToExponent);
  const F32 f = t - (rounded - F32::set1(kRoundToExponent));
  F32 p = F32::set1(0.0013276472f);
  p = fma(p, f, F32::set1(0.0096755419f));
  p = fma(p, f, F32::set1(0.055507131f));
  p = fma(p, f, F32::set1(0.2402212f));
  p = fma(p, f, F32::set1(0.69314694f));
  p = fma(p, f, F32::set1(1.0f));
  return p * power_of_two(rounded);
}

// exp(x) for x <= 0, as accurate as the rounding of x * log2(e) allows.
inline F32 exp_negative(F32 x) { return exp2_negative(x * F32::set1(kLog2E)); }

// exp(x) = scale * (1 + rest) for x <= 0: both factors within 2 units in the last place, however large x is, and so is
// exp(x) - 1 near 0. Below -87, exp(-87).
struct Exponential {
  F32 scale, rest;
};
inline Exponential exponential(F32 x) {
  constexpr float kLn2 = 0.693359375f, kLn2Rest = -2.12194440e-4f;
  // (exp(f) - 1 - f) / f^2
  constexpr float kRest[] = {0.5f, 0.16666538f, 0.04166627f, 0.0083672469f, 0.0013947598f};
  x = max(F32::set1(-87.0f), x);
  const F32 rounded = fma(x, F32::set1(kLog2E), F32::set1(kRoundToExponent));
  const F32 n = rounded - F32::set1(kRoundToExponent);
  const F32 f = fma(n, F32::set1(-kLn2Rest), fma(n, F32::set1(-kLn2), x));
  F32 p = F32::set1(kRest[4]);
  for (int i = 3; i >= 0; --i) p = fma(p, f, F32::set1(kRest[i]));
  return {power_of_two(rounded), fma(p, f * f, f)};
}

}  // namespace
}  // namespace lffn
