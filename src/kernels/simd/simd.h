// SPDX-License-Identifier: Apache-2.0
// Vectors of floats and of int32, as wide as the instruction set this file is compiled for. Portable operations are
// xsimd's; what it lacks, or does with two roundings, is in simd_extra.h. LFFN_GENERIC builds without any vector unit.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(LFFN_GENERIC)
#include "kernels/simd/simd_generic.h"
#else
#include "kernels/simd/simd_extra.h"
#endif

namespace lffn {
namespace {

// The FMA of one number, rounded as the vectors' is.
inline float fma1(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

constexpr int kLanes = F32::kLanes;

// Four rows of four floats, written as four columns `stride` floats apart.
inline void transpose4(const float* r0, const float* r1, const float* r2, const float* r3, float* out, int64_t stride) {
#if defined(__SSE2__) && !defined(LFFN_GENERIC)
  __m128 a = _mm_loadu_ps(r0), b = _mm_loadu_ps(r1), c = _mm_loadu_ps(r2), d = _mm_loadu_ps(r3);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(out, a);
  _mm_storeu_ps(out + stride, b);
  _mm_storeu_ps(out + 2 * stride, c);
  _mm_storeu_ps(out + 3 * stride, d);
#else
  for (int i = 0; i < 4; ++i) {
    out[i * stride] = r0[i];
    out[i * stride + 1] = r1[i];
    out[i * stride + 2] = r2[i];
    out[i * stride + 3] = r3[i];
  }
#endif
}

#if !defined(__AVX2__) || defined(LFFN_GENERIC)
// As many rows of floats as there are lanes, `in_stride` floats apart -> as many columns, `out_stride` apart.
inline void native_transpose(const float* in, int64_t in_stride, float* out, int64_t out_stride) {
  transpose4(in, in + in_stride, in + 2 * in_stride, in + 3 * in_stride, out, out_stride);
}
#endif

}  // namespace
}  // namespace lffn
