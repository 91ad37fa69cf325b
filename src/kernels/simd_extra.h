// The few intrinsics that xsimd has not, or not with one rounding: each in one form per instruction set.
#pragma once

#include <cstdint>

#if defined(__AVX512BW__)
#include "kernels/simd_avx512.h"
#elif defined(__AVX2__)
#include "kernels/simd_avx2.h"
#elif defined(__SSE2__)
#include "kernels/simd_sse2.h"
#elif defined(__aarch64__)
#include "kernels/simd_neon.h"
#endif

namespace lffn {
namespace {

// dot_bytes is one instruction.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define LFFN_DOT_BYTES 1
#endif

#if defined(__SSE2__)

// Four rows of four floats, written as four columns `stride` floats apart.
inline void transpose4(const float* r0, const float* r1, const float* r2, const float* r3, float* out, int64_t stride) {
  __m128 a = _mm_loadu_ps(r0), b = _mm_loadu_ps(r1), c = _mm_loadu_ps(r2), d = _mm_loadu_ps(r3);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(out, a);
  _mm_storeu_ps(out + stride, b);
  _mm_storeu_ps(out + 2 * stride, c);
  _mm_storeu_ps(out + 3 * stride, d);
}

#else

inline void transpose4(const float* r0, const float* r1, const float* r2, const float* r3, float* out, int64_t stride) {
  for (int i = 0; i < 4; ++i) {
    out[i * stride] = r0[i];
    out[i * stride + 1] = r1[i];
    out[i * stride + 2] = r2[i];
    out[i * stride + 3] = r3[i];
  }
}

#endif

#if !defined(__AVX2__)
// As many rows of floats as there are lanes, `in_stride` floats apart -> as many columns, `out_stride` apart.
inline void native_transpose(const float* in, int64_t in_stride, float* out, int64_t out_stride) {
  transpose4(in, in + in_stride, in + 2 * in_stride, in + 3 * in_stride, out, out_stride);
}
#endif

}  // namespace
}  // namespace lffn
