// SPDX-License-Identifier: Apache-2.0
// The operations of simd_extra.h for SSE2.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/simd/simd_xsimd.h"

namespace lffn {
namespace {

inline void store_u16(I32 a, uint16_t* p) {
  const __m128i sign_extended = _mm_srai_epi32(_mm_slli_epi32(a.v, 16), 16);  // SSE2 packs only signed numbers
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi32(sign_extended, sign_extended));
}
inline F32 fma(F32 a, F32 b, F32 c) { return {_mm_add_ps(_mm_mul_ps(a.v, b.v), c.v)}; }
inline I32 positive(F32 a) { return {_mm_castps_si128(_mm_cmpgt_ps(a.v, _mm_setzero_ps()))}; }
inline I32 dot_pairs(I32 a, I32 b, I32 c) { return {_mm_add_epi32(a.v, _mm_madd_epi16(b.v, c.v))}; }

inline I32 low_and_high(I32 low, I32 high) {
  const __m128i mask = _mm_set1_epi32(0xffff);
  return {_mm_or_si128(_mm_and_si128(mask, low.v), _mm_andnot_si128(mask, high.v))};
}
inline I32 load_pairs(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return {_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8)};
}

inline int32_t first_lane(I32 a) { return _mm_cvtsi128_si32(a.v); }
inline float first_lane(F32 a) { return _mm_cvtss_f32(a.v); }
inline int32_t largest_lane(I32 a) {
  const I32 two = max(a, {_mm_shuffle_epi32(a.v, 0x4e)});
  return first_lane(max(two, {_mm_shuffle_epi32(two.v, 0xb1)}));
}
inline int32_t lane_sum(I32 a) {
  const __m128i two = _mm_add_epi32(a.v, _mm_shuffle_epi32(a.v, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}
inline void store_u8(I32 a, uint8_t* p) {
  const __m128i bytes = _mm_and_si128(a.v, _mm_set1_epi32(255)), pairs = _mm_packs_epi32(bytes, bytes);
  const int32_t cell = _mm_cvtsi128_si32(_mm_packus_epi16(pairs, pairs));
  __builtin_memcpy(p, &cell, sizeof cell);
}
inline bool any_bit(I32 a) { return _mm_movemask_epi8(_mm_cmpeq_epi32(a.v, _mm_setzero_si128())) != 0xffff; }
inline void interleave_rows(const I32* rows, I32* out) {
  const __m128i low01 = _mm_unpacklo_epi8(rows[0].v, rows[1].v), high01 = _mm_unpackhi_epi8(rows[0].v, rows[1].v);
  const __m128i low23 = _mm_unpacklo_epi8(rows[2].v, rows[3].v), high23 = _mm_unpackhi_epi8(rows[2].v, rows[3].v);
  out[0].v = _mm_unpacklo_epi16(low01, low23);
  out[1].v = _mm_unpackhi_epi16(low01, low23);
  out[2].v = _mm_unpacklo_epi16(high01, high23);
  out[3].v = _mm_unpackhi_epi16(high01, high23);
}
inline I32 dot_quads(I32 a, I32 weights, I32 values) {
  const __m128i zero = _mm_setzero_si128(), sign = _mm_cmpgt_epi8(zero, values.v);
  const __m128 low =
      _mm_castsi128_ps(_mm_madd_epi16(_mm_unpacklo_epi8(weights.v, zero), _mm_unpacklo_epi8(values.v, sign)));
  const __m128 high =
      _mm_castsi128_ps(_mm_madd_epi16(_mm_unpackhi_epi8(weights.v, zero), _mm_unpackhi_epi8(values.v, sign)));
  const __m128i even = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
  const __m128i odd = _mm_castps_si128(_mm_shuffle_ps(low, high, 0xdd));
  return {_mm_add_epi32(a.v, _mm_add_epi32(even, odd))};
}
inline I32 dot_bytes(I32 a, I32 counts, I32 values) { return dot_quads(a, counts, values); }

inline I32 swap_middle(I32 a) { return {_mm_shuffle_epi32(a.v, 0xd8)}; }
inline I32 even_bytes(I32 a) { return {_mm_srai_epi16(_mm_slli_epi16(a.v, 8), 8)}; }
inline I32 odd_bytes(I32 a) { return {_mm_srai_epi16(a.v, 8)}; }
inline I32 swap_pairs(I32 a) { return {_mm_shufflehi_epi16(_mm_shufflelo_epi16(a.v, 0xd8), 0xd8)}; }
inline F32 load_bf16(const uint16_t* p) {
  const __m128i halves = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return {_mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), halves))};
}
inline float least(F32 a) {
  const __m128 two = _mm_min_ps(a.v, _mm_movehl_ps(a.v, a.v));
  return _mm_cvtss_f32(_mm_min_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline I32 operator*(I32 a, I32 b) {
  const __m128i even = _mm_mul_epu32(a.v, b.v), odd = _mm_mul_epu32(_mm_srli_si128(a.v, 4), _mm_srli_si128(b.v, 4));
  return {_mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08))};
}

}  // namespace
}  // namespace lffn
