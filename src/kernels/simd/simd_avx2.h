// SPDX-License-Identifier: Apache-2.0
// The operations of simd_extra.h for AVX2, with or without AVX-VNNI.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/simd/simd_xsimd.h"

namespace lffn {
namespace {

inline void store_u16(I32 a, uint16_t* p) {
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(a.v, a.v), 0x88);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
}
inline F32 fma(F32 a, F32 b, F32 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
inline I32 positive(F32 a) { return {_mm256_castps_si256(_mm256_cmp_ps(a.v, _mm256_setzero_ps(), _CMP_GT_OQ))}; }
// The addition stays where it is written: left to itself, the compiler collects all products of a tile before it adds
// the first, and runs out of registers.
inline I32 dot_pairs(I32 a, I32 b, I32 c) {
#if defined(__AVXVNNI__)
  return {_mm256_dpwssd_avx_epi32(a.v, b.v, c.v)};
#else
  asm volatile("vpaddd %1, %0, %0" : "+x"(a.v) : "x"(_mm256_madd_epi16(b.v, c.v)));
  return a;
#endif
}
// A vector that is loaded once: left to itself, the compiler may load it again for each use.
inline F32 keep(F32 a) {
  asm("" : "+x"(a.v));
  return a;
}
inline I32 keep(I32 a) {
  asm("" : "+x"(a.v));
  return a;
}
inline I32 low_and_high(I32 low, I32 high) { return {_mm256_blend_epi16(low.v, high.v, 0xaa)}; }
inline I32 load_pairs(const int8_t* p) {
  return {_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}

inline bool any_bit(I32 a) { return _mm256_testz_si256(a.v, a.v) == 0; }
inline int32_t first_lane(I32 a) { return _mm_cvtsi128_si32(_mm256_castsi256_si128(a.v)); }
inline float first_lane(F32 a) { return _mm256_cvtss_f32(a.v); }
inline int32_t largest_lane(I32 a) {
  __m128i half = _mm_max_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return _mm_cvtsi128_si32(_mm_max_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}
inline int32_t lane_sum(I32 a) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}
inline void store_u8(I32 a, uint8_t* p) {
  const __m256i lowest = _mm256_set1_epi64x(0x0c080400);
  const __m256i packed = _mm256_shuffle_epi8(a.v, lowest);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p),
                   _mm_unpacklo_epi32(_mm256_castsi256_si128(packed), _mm256_extracti128_si256(packed, 1)));
}
inline void interleave_rows(const I32* rows, I32* out) {
  const __m256i low01 = _mm256_unpacklo_epi8(rows[0].v, rows[1].v), high01 = _mm256_unpackhi_epi8(rows[0].v, rows[1].v);
  const __m256i low23 = _mm256_unpacklo_epi8(rows[2].v, rows[3].v), high23 = _mm256_unpackhi_epi8(rows[2].v, rows[3].v);
  out[0].v = _mm256_unpacklo_epi16(low01, low23);
  out[1].v = _mm256_unpackhi_epi16(low01, low23);
  out[2].v = _mm256_unpacklo_epi16(high01, high23);
  out[3].v = _mm256_unpackhi_epi16(high01, high23);
}
inline I32 dot_quads(I32 a, I32 weights, I32 values) {
#if defined(__AVXVNNI__)
  return {_mm256_dpbusd_avx_epi32(a.v, weights.v, values.v)};
#else
  const __m256i pairs = _mm256_maddubs_epi16(weights.v, values.v);
  return {_mm256_add_epi32(a.v, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))};
#endif
}
#if !defined(__AVXVNNI__)
#define LFFN_ADD_TWO_QUADS 1
// dot_quads, whose addition stays where it is written, as in dot_pairs.
inline I32 add_quads(I32 a, I32 numbers, I32 weights) {
  const __m256i pairs = _mm256_maddubs_epi16(numbers.v, weights.v);
  asm volatile("vpaddd %1, %0, %0" : "+x"(a.v) : "x"(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
  return a;
}
// Two add_quads in one, where beyond_sums() has no bit for the weights and `most` = INT16_MAX / 127.
inline I32 add_two_quads(I32 a, I32 numbers, I32 weights, I32 numbers2, I32 weights2) {
  const __m256i first = _mm256_maddubs_epi16(numbers.v, weights.v),
                second = _mm256_maddubs_epi16(numbers2.v, weights2.v);
  const __m256i pairs = _mm256_add_epi16(first, second);
  asm volatile("vpaddd %1, %0, %0" : "+x"(a.v) : "x"(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
  return a;
}
// Stores eight numbers as bytes with a sign if no two neighbours of one sign add up to more than 127; else returns
// false.
inline bool store_fitting_pairs(I32 numbers, int32_t* to) {
  const __m128i some = _mm_packs_epi32(_mm256_castsi256_si128(numbers.v), _mm256_extracti128_si256(numbers.v, 1));
  const __m128i zero = _mm_setzero_si128(), ones = _mm_set1_epi16(1);
  const __m128i above = _mm_madd_epi16(_mm_max_epi16(some, zero), ones),
                below = _mm_madd_epi16(_mm_min_epi16(some, zero), ones);
  const __m128i beyond =
      _mm_or_si128(_mm_cmpgt_epi32(above, _mm_set1_epi32(127)), _mm_cmpgt_epi32(_mm_set1_epi32(-127), below));
  if (_mm_testz_si128(beyond, beyond) == 0) return false;
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packs_epi16(some, some));
  return true;
}
// Sets bits where weights of one sign add up to more than `most`, among two neighbours of `weights` and the two at the
// same places of `weights2`.
inline I32 beyond_sums(I32 weights, I32 weights2, int16_t most) {
  const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi8(1), limit = _mm256_set1_epi16(most);
  const __m256i above = _mm256_add_epi16(_mm256_maddubs_epi16(ones, _mm256_max_epi8(weights.v, zero)),
                                         _mm256_maddubs_epi16(ones, _mm256_max_epi8(weights2.v, zero)));
  const __m256i below = _mm256_add_epi16(_mm256_maddubs_epi16(ones, _mm256_min_epi8(weights.v, zero)),
                                         _mm256_maddubs_epi16(ones, _mm256_min_epi8(weights2.v, zero)));
  return {_mm256_or_si256(_mm256_cmpgt_epi16(above, limit), _mm256_cmpgt_epi16(_mm256_sub_epi16(zero, below), limit))};
}
#endif
inline I32 dot_bytes(I32 a, I32 counts, I32 values) {
#if defined(__AVXVNNI__)
  return {_mm256_dpbusd_avx_epi32(a.v, counts.v, values.v)};
#else
  const __m256i even_counts = _mm256_and_si256(counts.v, _mm256_set1_epi16(255));
  const __m256i even_values = _mm256_srai_epi16(_mm256_slli_epi16(values.v, 8), 8);
  const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(counts.v, 8), _mm256_srai_epi16(values.v, 8));
  return {_mm256_add_epi32(_mm256_add_epi32(a.v, _mm256_madd_epi16(even_counts, even_values)), odd)};
#endif
}

inline I32 swap_middle(I32 a) { return {_mm256_shuffle_epi32(a.v, 0xd8)}; }
inline I32 even_bytes(I32 a) { return {_mm256_srai_epi16(_mm256_slli_epi16(a.v, 8), 8)}; }
inline I32 odd_bytes(I32 a) { return {_mm256_srai_epi16(a.v, 8)}; }
inline I32 swap_pairs(I32 a) { return {_mm256_shufflehi_epi16(_mm256_shufflelo_epi16(a.v, 0xd8), 0xd8)}; }
inline F32 load_bf16(const uint16_t* p) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16))};
}
inline float least(F32 a) {
  const __m128 four = _mm_min_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  const __m128 two = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline I32 operator*(I32 a, I32 b) { return {_mm256_mullo_epi32(a.v, b.v)}; }

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
