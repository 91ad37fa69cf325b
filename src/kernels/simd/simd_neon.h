// SPDX-License-Identifier: Apache-2.0
// The operations of simd_extra.h for NEON, with or without dot products.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "kernels/simd/simd_xsimd.h"

namespace lffn {
namespace {

inline void store_u16(I32 a, uint16_t* p) { vst1_u16(p, vmovn_u32(vreinterpretq_u32_s32(a.v))); }
inline F32 fma(F32 a, F32 b, F32 c) { return {vfmaq_f32(c.v, a.v, b.v)}; }
inline I32 positive(F32 a) { return {vreinterpretq_s32_u32(vcgtzq_f32(a.v))}; }
inline I32 dot_pairs(I32 a, I32 b, I32 c) {
  const int16x8_t x = vreinterpretq_s16_s32(b.v), y = vreinterpretq_s16_s32(c.v);
  const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
  return {vaddq_s32(a.v, vpaddq_s32(low, vmull_high_s16(x, y)))};
}
inline I32 low_and_high(I32 low, I32 high) { return {vbslq_s32(vdupq_n_u32(0xffff), low.v, high.v)}; }
inline I32 load_pairs(const int8_t* p) { return {vreinterpretq_s32_s16(vmovl_s8(vld1_s8(p)))}; }
inline bool any_bit(I32 a) { return vmaxvq_u32(vreinterpretq_u32_s32(a.v)) != 0; }
inline int32_t largest_lane(I32 a) { return vmaxvq_s32(a.v); }
inline int32_t lane_sum(I32 a) { return vaddvq_s32(a.v); }
inline int32_t first_lane(I32 a) { return vgetq_lane_s32(a.v, 0); }
inline float first_lane(F32 a) { return vgetq_lane_f32(a.v, 0); }
inline void store_u8(I32 a, uint8_t* p) {
  const uint16x4_t halves = vmovn_u32(vreinterpretq_u32_s32(a.v));
  vst1_lane_u32(reinterpret_cast<uint32_t*>(p), vreinterpret_u32_u8(vmovn_u16(vcombine_u16(halves, halves))), 0);
}
inline void interleave_rows(const I32* rows, I32* out) {
  const int8x16_t r0 = vreinterpretq_s8_s32(rows[0].v), r1 = vreinterpretq_s8_s32(rows[1].v);
  const int8x16_t r2 = vreinterpretq_s8_s32(rows[2].v), r3 = vreinterpretq_s8_s32(rows[3].v);
  const int16x8_t low01 = vreinterpretq_s16_s8(vzip1q_s8(r0, r1)), high01 = vreinterpretq_s16_s8(vzip2q_s8(r0, r1));
  const int16x8_t low23 = vreinterpretq_s16_s8(vzip1q_s8(r2, r3)), high23 = vreinterpretq_s16_s8(vzip2q_s8(r2, r3));
  out[0].v = vreinterpretq_s32_s16(vzip1q_s16(low01, low23));
  out[1].v = vreinterpretq_s32_s16(vzip2q_s16(low01, low23));
  out[2].v = vreinterpretq_s32_s16(vzip1q_s16(high01, high23));
  out[3].v = vreinterpretq_s32_s16(vzip2q_s16(high01, high23));
}
// a + the sums of four products of signed bytes.
inline int32x4_t dot_signed(int32x4_t a, int8x16_t x, int8x16_t y) {
#if defined(__ARM_FEATURE_DOTPROD)
  return vdotq_s32(a, x, y);
#else
  const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(y)));
  return vaddq_s32(a, vpaddq_s32(low, vpaddlq_s16(vmull_high_s8(x, y))));
#endif
}
// The weights are below 128, so they may count as signed.
inline I32 dot_quads(I32 a, I32 weights, I32 values) {
  return {dot_signed(a.v, vreinterpretq_s8_s32(weights.v), vreinterpretq_s8_s32(values.v))};
}
// As signed bytes the counts are 128 less.
inline I32 dot_bytes(I32 a, I32 counts, I32 values) {
  const int8x16_t x = vreinterpretq_s8_s32(veorq_s32(counts.v, vreinterpretq_s32_u8(vdupq_n_u8(0x80))));
  const int8x16_t y = vreinterpretq_s8_s32(values.v);
  const int32x4_t sum = vpaddlq_s16(vpaddlq_s8(y));
  return {vaddq_s32(dot_signed(a.v, x, y), vshlq_n_s32(sum, 7))};
}

inline I32 swap_middle(I32 a) {
  return {
      vcombine_s32(vzip1_s32(vget_low_s32(a.v), vget_high_s32(a.v)), vzip2_s32(vget_low_s32(a.v), vget_high_s32(a.v)))};
}
inline I32 even_bytes(I32 a) {
  return {vreinterpretq_s32_s16(vshrq_n_s16(vshlq_n_s16(vreinterpretq_s16_s32(a.v), 8), 8))};
}
inline I32 odd_bytes(I32 a) { return {vreinterpretq_s32_s16(vshrq_n_s16(vreinterpretq_s16_s32(a.v), 8))}; }
inline I32 swap_pairs(I32 a) {
  const int16x8_t x = vreinterpretq_s16_s32(a.v);
  const int16x8_t even = vuzp1q_s16(x, x), odd = vuzp2q_s16(x, x);  // 0 2 4 6 ..., 1 3 5 7 ...
  return {vzip1q_s32(vreinterpretq_s32_s16(even), vreinterpretq_s32_s16(odd))};
}
inline F32 load_bf16(const uint16_t* p) { return {vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16))}; }
inline float least(F32 a) { return vminvq_f32(a.v); }
inline I32 operator*(I32 a, I32 b) { return {vmulq_s32(a.v, b.v)}; }

}  // namespace
}  // namespace lffn
