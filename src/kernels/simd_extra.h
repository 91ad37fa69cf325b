// The few intrinsics that xsimd has not, or not with one rounding: each in one form per instruction set.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace lffn {
namespace {

#if defined(__AVX512BW__)

inline void store_low_halves(__m512i a, uint16_t* p) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(a));
}
inline __m512 native_fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m512i native_bits(__m512 a) { return _mm512_castps_si512(a); }
inline __m512 native_floats(__m512i a) { return _mm512_castsi512_ps(a); }
inline __m512i native_positive(__m512 a) {
  return _mm512_movm_epi32(_mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ));
}
inline __m512i native_dot_pairs(__m512i a, __m512i b, __m512i c) {
#if defined(__AVX512VNNI__)
  return _mm512_dpwssd_epi32(a, b, c);
#else
  return _mm512_add_epi32(a, _mm512_madd_epi16(b, c));
#endif
}

#elif defined(__AVX2__)

inline void store_low_halves(__m256i a, uint16_t* p) {
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, a), 0x88);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
}
inline __m256 native_fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256i native_bits(__m256 a) { return _mm256_castps_si256(a); }
inline __m256 native_floats(__m256i a) { return _mm256_castsi256_ps(a); }
inline __m256i native_positive(__m256 a) {
  return _mm256_castps_si256(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ));
}
inline __m256i native_dot_pairs(__m256i a, __m256i b, __m256i c) {
  return _mm256_add_epi32(a, _mm256_madd_epi16(b, c));
}

#elif defined(__SSE2__)

inline void store_low_halves(__m128i a, uint16_t* p) {
  const __m128i sign_extended = _mm_srai_epi32(_mm_slli_epi32(a, 16), 16);  // SSE2 packs only signed numbers
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi32(sign_extended, sign_extended));
}
inline __m128 native_fma(__m128 a, __m128 b, __m128 c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
inline __m128i native_bits(__m128 a) { return _mm_castps_si128(a); }
inline __m128 native_floats(__m128i a) { return _mm_castsi128_ps(a); }
inline __m128i native_positive(__m128 a) { return _mm_castps_si128(_mm_cmpgt_ps(a, _mm_setzero_ps())); }
inline __m128i native_dot_pairs(__m128i a, __m128i b, __m128i c) { return _mm_add_epi32(a, _mm_madd_epi16(b, c)); }

#elif defined(__aarch64__)

inline void store_low_halves(int32x4_t a, uint16_t* p) { vst1_u16(p, vmovn_u32(vreinterpretq_u32_s32(a))); }
inline float32x4_t native_fma(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
inline int32x4_t native_bits(float32x4_t a) { return vreinterpretq_s32_f32(a); }
inline float32x4_t native_floats(int32x4_t a) { return vreinterpretq_f32_s32(a); }
inline int32x4_t native_positive(float32x4_t a) { return vreinterpretq_s32_u32(vcgtzq_f32(a)); }
inline int32x4_t native_dot_pairs(int32x4_t a, int32x4_t b, int32x4_t c) {
  const int16x8_t x = vreinterpretq_s16_s32(b), y = vreinterpretq_s16_s32(c);
  const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
  return vaddq_s32(a, vpaddq_s32(low, vmull_high_s16(x, y)));
}

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

}  // namespace
}  // namespace lffn
