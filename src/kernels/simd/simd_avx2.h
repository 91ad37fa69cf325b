// SPDX-License-Identifier: Apache-2.0
// What simd_extra.h has of AVX2, with or without AVX-VNNI.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace lffn {
namespace {

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
// At the place where it stands: left to itself, the compiler collects all products of a tile before it adds the first,
// and runs out of registers.
inline __m256i native_dot_pairs(__m256i a, __m256i b, __m256i c) {
#if defined(__AVXVNNI__)
  return _mm256_dpwssd_avx_epi32(a, b, c);
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
inline bool native_any_bit(__m256i a) { return _mm256_testz_si256(a, a) == 0; }
inline int32_t native_first_lane(__m256i a) { return _mm_cvtsi128_si32(_mm256_castsi256_si128(a)); }
inline float native_first_lane(__m256 a) { return _mm256_cvtss_f32(a); }
inline int32_t native_largest_lane(__m256i a) {
  __m128i half = _mm_max_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return _mm_cvtsi128_si32(_mm_max_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}
inline int32_t native_lane_sum(__m256i a) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}
inline void native_store_bytes(__m256i a, uint8_t* p) {
  const __m256i lowest = _mm256_set1_epi64x(0x0c080400);
  const __m256i packed = _mm256_shuffle_epi8(a, lowest);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p),
                   _mm_unpacklo_epi32(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1)));
}
template <int kBits>
inline __m256i native_shift_right(__m256i a) {
  return _mm256_srli_epi32(a, kBits);
}
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
#if !defined(__AVXVNNI__)
#define LFFN_ADD_TWO_QUADS 1
// As in native_dot_pairs.
inline __m256i native_add_quads(__m256i a, __m256i numbers, __m256i weights) {
  const __m256i pairs = _mm256_maddubs_epi16(numbers, weights);
  asm volatile("vpaddd %1, %0, %0" : "+x"(a) : "x"(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
  return a;
}
inline __m256i native_add_two_quads(__m256i a, __m256i numbers, __m256i weights, __m256i numbers2, __m256i weights2) {
  const __m256i first = _mm256_maddubs_epi16(numbers, weights), second = _mm256_maddubs_epi16(numbers2, weights2);
  const __m256i pairs = _mm256_add_epi16(first, second);
  asm volatile("vpaddd %1, %0, %0" : "+x"(a) : "x"(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
  return a;
}
inline __m256i native_beyond_sums(__m256i weights, __m256i weights2, int16_t most) {
  const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(1), limit = _mm256_set1_epi16(most);
  const __m256i above = _mm256_add_epi16(_mm256_maddubs_epi16(ones, _mm256_max_epi8(weights, zero)),
                                         _mm256_maddubs_epi16(ones, _mm256_max_epi8(weights2, zero)));
  const __m256i below = _mm256_add_epi16(_mm256_maddubs_epi16(ones, _mm256_min_epi8(weights, zero)),
                                         _mm256_maddubs_epi16(ones, _mm256_min_epi8(weights2, zero)));
  return _mm256_or_si256(_mm256_cmpgt_epi16(above, limit), _mm256_cmpgt_epi16(_mm256_sub_epi16(zero, below), limit));
}
#endif
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

// As many rows of floats as there are lanes, `in_stride` floats apart -> as many columns, `out_stride` apart.
inline void native_transpose(const float* in, int64_t in_stride, float* out, int64_t out_stride) {
  __m256 a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    // Halves of rows i and i + 4 side by side.
    const __m256 low = _mm256_loadu_ps(in + i * in_stride), high = _mm256_loadu_ps(in + (i + 4) * in_stride);
    a[i] = _mm256_permute2f128_ps(low, high, 0x20);
    a[i + 4] = _mm256_permute2f128_ps(low, high, 0x31);
  }
  for (int i = 0; i < 8; i += 2) {
    b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    _mm256_storeu_ps(out + i * out_stride, _mm256_shuffle_ps(b[i], b[i + 2], 0x44));
    _mm256_storeu_ps(out + (i + 1) * out_stride, _mm256_shuffle_ps(b[i], b[i + 2], 0xee));
    _mm256_storeu_ps(out + (i + 2) * out_stride, _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44));
    _mm256_storeu_ps(out + (i + 3) * out_stride, _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xee));
  }
}

}  // namespace
}  // namespace lffn
