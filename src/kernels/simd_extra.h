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

// dot_bytes is one instruction.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define LFFN_DOT_BYTES 1
#endif

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

inline __m512i native_low_and_high(__m512i low, __m512i high) {
  return _mm512_mask_blend_epi16(0xaaaaaaaau, low, high);
}
inline __m512i native_load_pairs(const int8_t* p) {
  return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}

inline __m512i native_max(__m512i a, __m512i b) { return _mm512_max_epi32(a, b); }
inline void native_interleave(const __m512i* rows, __m512i* out) {
  const __m512i low01 = _mm512_unpacklo_epi8(rows[0], rows[1]), high01 = _mm512_unpackhi_epi8(rows[0], rows[1]);
  const __m512i low23 = _mm512_unpacklo_epi8(rows[2], rows[3]), high23 = _mm512_unpackhi_epi8(rows[2], rows[3]);
  out[0] = _mm512_unpacklo_epi16(low01, low23);
  out[1] = _mm512_unpackhi_epi16(low01, low23);
  out[2] = _mm512_unpacklo_epi16(high01, high23);
  out[3] = _mm512_unpackhi_epi16(high01, high23);
}
inline __m512i native_dot_quads(__m512i a, __m512i weights, __m512i values) {
#if defined(__AVX512VNNI__)
  return _mm512_dpbusd_epi32(a, weights, values);
#else
  const __m512i pairs = _mm512_maddubs_epi16(weights, values);
  return _mm512_add_epi32(a, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
#endif
}
inline __m512i native_dot_bytes(__m512i a, __m512i counts, __m512i values) {
#if defined(__AVX512VNNI__)
  return _mm512_dpbusd_epi32(a, counts, values);
#else
  const __m512i even_counts = _mm512_and_si512(counts, _mm512_set1_epi16(255));
  const __m512i even_values = _mm512_srai_epi16(_mm512_slli_epi16(values, 8), 8);
  const __m512i odd = _mm512_madd_epi16(_mm512_srli_epi16(counts, 8), _mm512_srai_epi16(values, 8));
  return _mm512_add_epi32(_mm512_add_epi32(a, _mm512_madd_epi16(even_counts, even_values)), odd);
#endif
}

inline void store_low_bytes(__m512i a, uint8_t* p) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a));
}
inline __m512i native_swap_middle(__m512i a) { return _mm512_shuffle_epi32(a, _MM_PERM_DBCA); }
inline __m512i native_even_bytes(__m512i a) { return _mm512_srai_epi16(_mm512_slli_epi16(a, 8), 8); }
inline __m512i native_odd_bytes(__m512i a) { return _mm512_srai_epi16(a, 8); }
inline __m512i native_swap_pairs(__m512i a) { return _mm512_shufflehi_epi16(_mm512_shufflelo_epi16(a, 0xd8), 0xd8); }
inline __m512 native_load_bf16(const uint16_t* p) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}
inline float native_least(__m512 a) { return _mm512_reduce_min_ps(a); }
inline __m512i native_multiply(__m512i a, __m512i b) { return _mm512_mullo_epi32(a, b); }

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
#if defined(__AVXVNNI__)
  return _mm256_dpwssd_avx_epi32(a, b, c);
#else
  return _mm256_add_epi32(a, _mm256_madd_epi16(b, c));
#endif
}

// dot_pairs at the place where it stands: left to itself, the compiler collects all products of a tile before it adds
// the first, and runs out of registers.
inline __m256i native_dot_pairs_here(__m256i a, __m256i b, __m256i c) {
#if defined(__AVXVNNI__)
  return native_dot_pairs(a, b, c);
#else
  asm volatile("vpaddd %1, %0, %0" : "+x"(a) : "x"(_mm256_madd_epi16(b, c)));
  return a;
#endif
}
// A vector that is loaded once: left to itself, the compiler may load it again for each use.
inline __m256 native_loaded(__m256 a) {
  asm("" : "+x"(a));
  return a;
}
inline __m256i native_loaded(__m256i a) {
  asm("" : "+x"(a));
  return a;
}
inline __m256i native_low_and_high(__m256i low, __m256i high) { return _mm256_blend_epi16(low, high, 0xaa); }
inline __m256i native_load_pairs(const int8_t* p) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

inline __m256i native_max(__m256i a, __m256i b) { return _mm256_max_epi32(a, b); }
inline void native_interleave(const __m256i* rows, __m256i* out) {
  const __m256i low01 = _mm256_unpacklo_epi8(rows[0], rows[1]), high01 = _mm256_unpackhi_epi8(rows[0], rows[1]);
  const __m256i low23 = _mm256_unpacklo_epi8(rows[2], rows[3]), high23 = _mm256_unpackhi_epi8(rows[2], rows[3]);
  out[0] = _mm256_unpacklo_epi16(low01, low23);
  out[1] = _mm256_unpackhi_epi16(low01, low23);
  out[2] = _mm256_unpacklo_epi16(high01, high23);
  out[3] = _mm256_unpackhi_epi16(high01, high23);
}
inline __m256i native_dot_quads(__m256i a, __m256i weights, __m256i values) {
#if defined(__AVXVNNI__)
  return _mm256_dpbusd_avx_epi32(a, weights, values);
#else
  const __m256i pairs = _mm256_maddubs_epi16(weights, values);
  return _mm256_add_epi32(a, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#endif
}
inline __m256i native_dot_bytes(__m256i a, __m256i counts, __m256i values) {
#if defined(__AVXVNNI__)
  return _mm256_dpbusd_avx_epi32(a, counts, values);
#else
  const __m256i even_counts = _mm256_and_si256(counts, _mm256_set1_epi16(255));
  const __m256i even_values = _mm256_srai_epi16(_mm256_slli_epi16(values, 8), 8);
  const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(counts, 8), _mm256_srai_epi16(values, 8));
  return _mm256_add_epi32(_mm256_add_epi32(a, _mm256_madd_epi16(even_counts, even_values)), odd);
#endif
}

inline void store_low_bytes(__m256i a, uint8_t* p) {
  const __m256i order = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i gathered = _mm256_shuffle_epi8(a, order);
  const __m128i both = _mm_unpacklo_epi32(_mm256_castsi256_si128(gathered), _mm256_extracti128_si256(gathered, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), both);
}
inline __m256i native_swap_middle(__m256i a) { return _mm256_shuffle_epi32(a, 0xd8); }
inline __m256i native_even_bytes(__m256i a) { return _mm256_srai_epi16(_mm256_slli_epi16(a, 8), 8); }
inline __m256i native_odd_bytes(__m256i a) { return _mm256_srai_epi16(a, 8); }
inline __m256i native_swap_pairs(__m256i a) { return _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(a, 0xd8), 0xd8); }
inline __m256 native_load_bf16(const uint16_t* p) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}
inline float native_least(__m256 a) {
  const __m128 four = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline __m256i native_multiply(__m256i a, __m256i b) { return _mm256_mullo_epi32(a, b); }

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

inline __m128i native_low_and_high(__m128i low, __m128i high) {
  const __m128i mask = _mm_set1_epi32(0xffff);
  return _mm_or_si128(_mm_and_si128(mask, low), _mm_andnot_si128(mask, high));
}
inline __m128i native_load_pairs(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
}

inline __m128i native_max(__m128i a, __m128i b) {
  const __m128i larger = _mm_cmpgt_epi32(a, b);
  return _mm_or_si128(_mm_and_si128(larger, a), _mm_andnot_si128(larger, b));
}
inline void native_interleave(const __m128i* rows, __m128i* out) {
  const __m128i low01 = _mm_unpacklo_epi8(rows[0], rows[1]), high01 = _mm_unpackhi_epi8(rows[0], rows[1]);
  const __m128i low23 = _mm_unpacklo_epi8(rows[2], rows[3]), high23 = _mm_unpackhi_epi8(rows[2], rows[3]);
  out[0] = _mm_unpacklo_epi16(low01, low23);
  out[1] = _mm_unpackhi_epi16(low01, low23);
  out[2] = _mm_unpacklo_epi16(high01, high23);
  out[3] = _mm_unpackhi_epi16(high01, high23);
}
inline __m128i native_dot_quads(__m128i a, __m128i weights, __m128i values) {
  const __m128i zero = _mm_setzero_si128(), sign = _mm_cmpgt_epi8(zero, values);
  const __m128 low =
      _mm_castsi128_ps(_mm_madd_epi16(_mm_unpacklo_epi8(weights, zero), _mm_unpacklo_epi8(values, sign)));
  const __m128 high =
      _mm_castsi128_ps(_mm_madd_epi16(_mm_unpackhi_epi8(weights, zero), _mm_unpackhi_epi8(values, sign)));
  const __m128i even = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
  const __m128i odd = _mm_castps_si128(_mm_shuffle_ps(low, high, 0xdd));
  return _mm_add_epi32(a, _mm_add_epi32(even, odd));
}
inline __m128i native_dot_bytes(__m128i a, __m128i counts, __m128i values) {
  return native_dot_quads(a, counts, values);
}

inline __m128i native_swap_middle(__m128i a) { return _mm_shuffle_epi32(a, 0xd8); }
inline __m128i native_even_bytes(__m128i a) { return _mm_srai_epi16(_mm_slli_epi16(a, 8), 8); }
inline __m128i native_odd_bytes(__m128i a) { return _mm_srai_epi16(a, 8); }
inline __m128i native_swap_pairs(__m128i a) { return _mm_shufflehi_epi16(_mm_shufflelo_epi16(a, 0xd8), 0xd8); }
inline __m128 native_load_bf16(const uint16_t* p) {
  const __m128i halves = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), halves));
}
inline float native_least(__m128 a) {
  const __m128 two = _mm_min_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline __m128i native_multiply(__m128i a, __m128i b) {
  const __m128i even = _mm_mul_epu32(a, b), odd = _mm_mul_epu32(_mm_srli_si128(a, 4), _mm_srli_si128(b, 4));
  return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
}

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
inline int32x4_t native_low_and_high(int32x4_t low, int32x4_t high) {
  return vbslq_s32(vdupq_n_u32(0xffff), low, high);
}
inline int32x4_t native_load_pairs(const int8_t* p) { return vreinterpretq_s32_s16(vmovl_s8(vld1_s8(p))); }
inline int32x4_t native_max(int32x4_t a, int32x4_t b) { return vmaxq_s32(a, b); }
inline void native_interleave(const int32x4_t* rows, int32x4_t* out) {
  const int8x16_t r0 = vreinterpretq_s8_s32(rows[0]), r1 = vreinterpretq_s8_s32(rows[1]);
  const int8x16_t r2 = vreinterpretq_s8_s32(rows[2]), r3 = vreinterpretq_s8_s32(rows[3]);
  const int16x8_t low01 = vreinterpretq_s16_s8(vzip1q_s8(r0, r1)), high01 = vreinterpretq_s16_s8(vzip2q_s8(r0, r1));
  const int16x8_t low23 = vreinterpretq_s16_s8(vzip1q_s8(r2, r3)), high23 = vreinterpretq_s16_s8(vzip2q_s8(r2, r3));
  out[0] = vreinterpretq_s32_s16(vzip1q_s16(low01, low23));
  out[1] = vreinterpretq_s32_s16(vzip2q_s16(low01, low23));
  out[2] = vreinterpretq_s32_s16(vzip1q_s16(high01, high23));
  out[3] = vreinterpretq_s32_s16(vzip2q_s16(high01, high23));
}
// a + the sums of four products of signed bytes. Without the dot product, x may not be -128 where y is.
inline int32x4_t native_dot_signed(int32x4_t a, int8x16_t x, int8x16_t y) {
#if defined(__ARM_FEATURE_DOTPROD)
  return vdotq_s32(a, x, y);
#else
  const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(y)));
  return vaddq_s32(a, vpaddq_s32(low, vpaddlq_s16(vmull_high_s8(x, y))));
#endif
}
// The weights are below 128, so they may count as signed.
inline int32x4_t native_dot_quads(int32x4_t a, int32x4_t weights, int32x4_t values) {
  return native_dot_signed(a, vreinterpretq_s8_s32(weights), vreinterpretq_s8_s32(values));
}
// As signed bytes the counts are 128 less.
inline int32x4_t native_dot_bytes(int32x4_t a, int32x4_t counts, int32x4_t values) {
  const int8x16_t x = vreinterpretq_s8_s32(veorq_s32(counts, vreinterpretq_s32_u8(vdupq_n_u8(0x80))));
  const int8x16_t y = vreinterpretq_s8_s32(values);
  const int32x4_t sum = vpaddlq_s16(vpaddlq_s8(y));
  return vaddq_s32(native_dot_signed(a, x, y), vshlq_n_s32(sum, 7));
}

inline int32x4_t native_swap_middle(int32x4_t a) {
  return vcombine_s32(vzip1_s32(vget_low_s32(a), vget_high_s32(a)), vzip2_s32(vget_low_s32(a), vget_high_s32(a)));
}
inline int32x4_t native_even_bytes(int32x4_t a) {
  return vreinterpretq_s32_s16(vshrq_n_s16(vshlq_n_s16(vreinterpretq_s16_s32(a), 8), 8));
}
inline int32x4_t native_odd_bytes(int32x4_t a) {
  return vreinterpretq_s32_s16(vshrq_n_s16(vreinterpretq_s16_s32(a), 8));
}
inline int32x4_t native_swap_pairs(int32x4_t a) {
  const int16x8_t x = vreinterpretq_s16_s32(a);
  const int16x8_t even = vuzp1q_s16(x, x), odd = vuzp2q_s16(x, x);  // 0 2 4 6 ..., 1 3 5 7 ...
  return vzip1q_s32(vreinterpretq_s32_s16(even), vreinterpretq_s32_s16(odd));
}
inline float32x4_t native_load_bf16(const uint16_t* p) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16)); }
inline float native_least(float32x4_t a) { return vminvq_f32(a); }
inline int32x4_t native_multiply(int32x4_t a, int32x4_t b) { return vmulq_s32(a, b); }

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
