// SPDX-License-Identifier: Apache-2.0
// What xsimd does not do, does with two roundings, or does in more instructions: one form for each instruction set.
// simd_generic.h says what each operation does.
#pragma once

#include <cstdint>

#if defined(__AVX512BW__)
#include "kernels/simd/simd_avx512.h"
#elif defined(__AVX2__)
#include "kernels/simd/simd_avx2.h"
#elif defined(__SSE2__)
#include "kernels/simd/simd_sse2.h"
#elif defined(__aarch64__)
#include "kernels/simd/simd_neon.h"
#endif

namespace lffn {
namespace {

#if !defined(__AVX2__) || defined(__AVX512F__)
inline F32 keep(F32 a) { return a; }
inline I32 keep(I32 a) { return a; }
#endif

// Whether products of bytes take one instruction, and what is added to signed bytes for its first factor.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(__ARM_FEATURE_DOTPROD)
constexpr bool kByteDot = true;
#else
constexpr bool kByteDot = false;
#endif
#if defined(__aarch64__)
constexpr int kByteZero = 0;
inline I32 dot_raised(I32 a, I32 raised, I32 values) {
  return {dot_signed(a.v, vreinterpretq_s8_s32(raised.v), vreinterpretq_s8_s32(values.v))};
}
#else
constexpr int kByteZero = kByteDot ? 128 : 0;
inline I32 dot_raised(I32 a, I32 raised, I32 values) { return dot_bytes(a, raised, values); }
#endif

inline I32 pack_bytes(I32 a, I32 b, I32 c, I32 d) {
  const I32 even = low_and_high(a, shift_left<16>(c)), odd = low_and_high(b, shift_left<16>(d));
  return (even & I32::set1(0x00ff00ff)) | (shift_left<8>(odd) & I32::set1(static_cast<int32_t>(0xff00ff00u)));
}

}  // namespace
}  // namespace lffn
