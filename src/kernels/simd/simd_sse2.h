// SPDX-License-Identifier: Apache-2.0
// What simd_extra.h has of SSE2.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace lffn {
namespace {

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
inline int32_t native_first_lane(__m128i a) { return _mm_cvtsi128_si32(a); }
inline float native_first_lane(__m128 a) { return _mm_cvtss_f32(a); }
inline int32_t native_largest_lane(__m128i a) {
  const __m128i two = native_max(a, _mm_shuffle_epi32(a, 0x4e));
  return _mm_cvtsi128_si32(native_max(two, _mm_shuffle_epi32(two, 0xb1)));
}
inline int32_t native_lane_sum(__m128i a) {
  const __m128i two = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}
inline void native_store_bytes(__m128i a, uint8_t* p) {
  const __m128i bytes = _mm_and_si128(a, _mm_set1_epi32(255)), pairs = _mm_packs_epi32(bytes, bytes);
  const int32_t cell = _mm_cvtsi128_si32(_mm_packus_epi16(pairs, pairs));
  __builtin_memcpy(p, &cell, sizeof cell);
}
inline bool native_any_bit(__m128i a) { return _mm_movemask_epi8(_mm_cmpeq_epi32(a, _mm_setzero_si128())) != 0xffff; }
template <int kBits>
inline __m128i native_shift_right(__m128i a) {
  return _mm_srli_epi32(a, kBits);
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

}  // namespace
}  // namespace lffn
