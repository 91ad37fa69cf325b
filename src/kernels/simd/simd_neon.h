// SPDX-License-Identifier: Apache-2.0
// What simd_extra.h has of NEON, with or without dot products.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace lffn {
namespace {

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
inline bool native_any_bit(int32x4_t a) { return vmaxvq_u32(vreinterpretq_u32_s32(a)) != 0; }
inline int32_t native_largest_lane(int32x4_t a) { return vmaxvq_s32(a); }
inline int32_t native_lane_sum(int32x4_t a) { return vaddvq_s32(a); }
inline int32_t native_first_lane(int32x4_t a) { return vgetq_lane_s32(a, 0); }
inline float native_first_lane(float32x4_t a) { return vgetq_lane_f32(a, 0); }
inline void native_store_bytes(int32x4_t a, uint8_t* p) {
  const uint16x4_t halves = vmovn_u32(vreinterpretq_u32_s32(a));
  vst1_lane_u32(reinterpret_cast<uint32_t*>(p), vreinterpret_u32_u8(vmovn_u16(vcombine_u16(halves, halves))), 0);
}
template <int kBits>
inline int32x4_t native_shift_right(int32x4_t a) {
  return vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(a), kBits));
}
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
// a + the sums of four products of signed bytes.
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

}  // namespace
}  // namespace lffn
