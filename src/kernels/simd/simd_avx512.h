// SPDX-License-Identifier: Apache-2.0
// What simd_extra.h has of AVX-512, with or without VNNI.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace lffn {
namespace {

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
inline bool native_any_bit(__m512i a) { return _mm512_test_epi32_mask(a, a) != 0; }
inline int32_t native_largest_lane(__m512i a) { return _mm512_reduce_max_epi32(a); }
inline int32_t native_lane_sum(__m512i a) { return _mm512_reduce_add_epi32(a); }
inline int32_t native_first_lane(__m512i a) { return _mm_cvtsi128_si32(_mm512_castsi512_si128(a)); }
inline float native_first_lane(__m512 a) { return _mm512_cvtss_f32(a); }
inline void native_store_bytes(__m512i a, uint8_t* p) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a));
}
template <int kBits>
inline __m512i native_shift_right(__m512i a) {
  return _mm512_srli_epi32(a, kBits);
}
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

inline __m512 native_pick(__m512 numbers, __m512i index) { return _mm512_permutexvar_ps(index, numbers); }
#if defined(__AVX512VBMI__)
inline __m512i native_pick_bytes(__m512i bytes, __m512i index) { return _mm512_permutexvar_epi8(index, bytes); }
#endif

// As many rows of floats as there are lanes, `in_stride` floats apart -> as many columns, `out_stride` apart.
inline void native_transpose(const float* in, int64_t in_stride, float* out, int64_t out_stride) {
  __m512 a[16], b[16];
  for (int i = 0; i < 16; ++i) a[i] = _mm512_loadu_ps(in + i * in_stride);
  for (int i = 0; i < 16; i += 2) {
    b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    a[i] = _mm512_shuffle_ps(b[i], b[i + 2], 0x44);
    a[i + 1] = _mm512_shuffle_ps(b[i], b[i + 2], 0xee);
    a[i + 2] = _mm512_shuffle_ps(b[i + 1], b[i + 3], 0x44);
    a[i + 3] = _mm512_shuffle_ps(b[i + 1], b[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    const __m512 even_low = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88);
    const __m512 even_high = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88);
    const __m512 odd_low = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xdd);
    const __m512 odd_high = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xdd);
    _mm512_storeu_ps(out + i * out_stride, _mm512_shuffle_f32x4(even_low, even_high, 0x88));
    _mm512_storeu_ps(out + (i + 4) * out_stride, _mm512_shuffle_f32x4(odd_low, odd_high, 0x88));
    _mm512_storeu_ps(out + (i + 8) * out_stride, _mm512_shuffle_f32x4(even_low, even_high, 0xdd));
    _mm512_storeu_ps(out + (i + 12) * out_stride, _mm512_shuffle_f32x4(odd_low, odd_high, 0xdd));
  }
}

}  // namespace
}  // namespace lffn
