// SPDX-License-Identifier: Apache-2.0
// The operations of simd_extra.h for AVX-512, with or without VNNI.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/simd/simd_xsimd.h"

namespace lffn {
namespace {

inline void store_u16(I32 a, uint16_t* p) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(a.v));
}
inline F32 fma(F32 a, F32 b, F32 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
inline I32 positive(F32 a) { return {_mm512_movm_epi32(_mm512_cmp_ps_mask(a.v, _mm512_setzero_ps(), _CMP_GT_OQ))}; }
inline I32 dot_pairs(I32 a, I32 b, I32 c) {
#if defined(__AVX512VNNI__)
  return {_mm512_dpwssd_epi32(a.v, b.v, c.v)};
#else
  return {_mm512_add_epi32(a.v, _mm512_madd_epi16(b.v, c.v))};
#endif
}

inline I32 low_and_high(I32 low, I32 high) { return {_mm512_mask_blend_epi16(0xaaaaaaaau, low.v, high.v)}; }
inline I32 load_pairs(const int8_t* p) {
  return {_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}

inline bool any_bit(I32 a) { return _mm512_test_epi32_mask(a.v, a.v) != 0; }
inline int32_t largest_lane(I32 a) { return _mm512_reduce_max_epi32(a.v); }
inline int32_t lane_sum(I32 a) { return _mm512_reduce_add_epi32(a.v); }
inline int32_t first_lane(I32 a) { return _mm_cvtsi128_si32(_mm512_castsi512_si128(a.v)); }
inline float first_lane(F32 a) { return _mm512_cvtss_f32(a.v); }
inline void store_u8(I32 a, uint8_t* p) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a.v)); }
inline void interleave_rows(const I32* rows, I32* out) {
  const __m512i low01 = _mm512_unpacklo_epi8(rows[0].v, rows[1].v), high01 = _mm512_unpackhi_epi8(rows[0].v, rows[1].v);
  const __m512i low23 = _mm512_unpacklo_epi8(rows[2].v, rows[3].v), high23 = _mm512_unpackhi_epi8(rows[2].v, rows[3].v);
  out[0].v = _mm512_unpacklo_epi16(low01, low23);
  out[1].v = _mm512_unpackhi_epi16(low01, low23);
  out[2].v = _mm512_unpacklo_epi16(high01, high23);
  out[3].v = _mm512_unpackhi_epi16(high01, high23);
}
inline I32 dot_quads(I32 a, I32 weights, I32 values) {
#if defined(__AVX512VNNI__)
  return {_mm512_dpbusd_epi32(a.v, weights.v, values.v)};
#else
  const __m512i pairs = _mm512_maddubs_epi16(weights.v, values.v);
  return {_mm512_add_epi32(a.v, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))};
#endif
}
inline I32 dot_bytes(I32 a, I32 counts, I32 values) {
#if defined(__AVX512VNNI__)
  return {_mm512_dpbusd_epi32(a.v, counts.v, values.v)};
#else
  const __m512i even_counts = _mm512_and_si512(counts.v, _mm512_set1_epi16(255));
  const __m512i even_values = _mm512_srai_epi16(_mm512_slli_epi16(values.v, 8), 8);
  const __m512i odd = _mm512_madd_epi16(_mm512_srli_epi16(counts.v, 8), _mm512_srai_epi16(values.v, 8));
  return {_mm512_add_epi32(_mm512_add_epi32(a.v, _mm512_madd_epi16(even_counts, even_values)), odd)};
#endif
}

inline I32 swap_middle(I32 a) { return {_mm512_shuffle_epi32(a.v, _MM_PERM_DBCA)}; }
inline I32 even_bytes(I32 a) { return {_mm512_srai_epi16(_mm512_slli_epi16(a.v, 8), 8)}; }
inline I32 odd_bytes(I32 a) { return {_mm512_srai_epi16(a.v, 8)}; }
inline I32 swap_pairs(I32 a) { return {_mm512_shufflehi_epi16(_mm512_shufflelo_epi16(a.v, 0xd8), 0xd8)}; }
inline F32 load_bf16(const uint16_t* p) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
}
inline float least(F32 a) { return _mm512_reduce_min_ps(a.v); }
inline I32 operator*(I32 a, I32 b) { return {_mm512_mullo_epi32(a.v, b.v)}; }

// Picks from 16 numbers by index.
inline F32 pick(F32 numbers, I32 index) { return {_mm512_permutexvar_ps(index.v, numbers.v)}; }
#if defined(__AVX512VBMI__)
// Picks from 64 bytes by index; the indices are bytes, too.
inline I32 pick_bytes(I32 bytes, I32 index) { return {_mm512_permutexvar_epi8(index.v, bytes.v)}; }
#endif

#if defined(__AVX512VPOPCNTDQ__)
// Loads up to 64 bytes, with zeros behind them.
inline I32 load_bytes(const uint8_t* p, int64_t count) {
  return {_mm512_maskz_loadu_epi8(~uint64_t{0} >> (64 - count), p)};
}
// How many bits are set in each eight bytes, in the lower one of their two lanes.
inline I32 count_in_eights(I32 a) { return {_mm512_popcnt_epi64(a.v)}; }
// The sums of eight vectors of such counts.
inline void add_up_eights(const I32* counts, int32_t* to) {
  __m512i two[4], four[2];
  for (int i = 0; i < 4; ++i) {
    two[i] = _mm512_add_epi64(_mm512_unpacklo_epi64(counts[2 * i].v, counts[2 * i + 1].v),
                              _mm512_unpackhi_epi64(counts[2 * i].v, counts[2 * i + 1].v));
  }
  for (int i = 0; i < 2; ++i) {
    four[i] = _mm512_add_epi64(_mm512_shuffle_i64x2(two[2 * i], two[2 * i + 1], 0x88),
                               _mm512_shuffle_i64x2(two[2 * i], two[2 * i + 1], 0xdd));
  }
  const __m512i eight =
      _mm512_add_epi64(_mm512_shuffle_i64x2(four[0], four[1], 0x88), _mm512_shuffle_i64x2(four[0], four[1], 0xdd));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(eight));
}
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
