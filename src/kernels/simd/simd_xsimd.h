// SPDX-License-Identifier: Apache-2.0
// The vectors of simd.h on xsimd's batches. Compile it with xsimd renamed per instruction set (-Dxsimd=...), so that no
// two objects share an inline function that was compiled with different flags.
#pragma once

#include <xsimd/xsimd.hpp>

#include "kernels/simd/simd_extra.h"

namespace lffn {
namespace {

using BatchF = xsimd::batch<float>;
using BatchI = xsimd::batch<int32_t>;

struct I32 {
  static constexpr int kLanes = static_cast<int>(BatchI::size);
  BatchI v;
  static I32 load(const int32_t* p) { return {BatchI::load_unaligned(p)}; }
  static I32 set1(int32_t value) { return {BatchI(value)}; }
  void store(int32_t* p) const { v.store_unaligned(p); }
};

struct F32 {
  static constexpr int kLanes = static_cast<int>(BatchF::size);
  BatchF v;
  static F32 load(const float* p) { return {BatchF::load_unaligned(p)}; }
  static F32 set1(float value) { return {BatchF(value)}; }
  void store(float* p) const { v.store_unaligned(p); }
};

inline F32 operator+(F32 a, F32 b) { return {a.v + b.v}; }
inline F32 operator-(F32 a, F32 b) { return {a.v - b.v}; }
inline F32 operator*(F32 a, F32 b) { return {a.v * b.v}; }
inline I32 operator+(I32 a, I32 b) { return {a.v + b.v}; }
inline I32 operator-(I32 a, I32 b) { return {a.v - b.v}; }
inline I32 operator&(I32 a, I32 b) { return {a.v & b.v}; }
inline I32 operator|(I32 a, I32 b) { return {a.v | b.v}; }
inline I32 operator^(I32 a, I32 b) { return {a.v ^ b.v}; }

#if defined(__aarch64__)
// xsimd 8.1 estimates these two here; they must round as everywhere.
inline F32 operator/(F32 a, F32 b) { return {BatchF(vdivq_f32(a.v, b.v))}; }
inline F32 sqrt(F32 a) { return {BatchF(vsqrtq_f32(a.v))}; }
#else
inline F32 operator/(F32 a, F32 b) { return {a.v / b.v}; }
inline F32 sqrt(F32 a) { return {xsimd::sqrt(a.v)}; }
#endif

inline F32 fma(F32 a, F32 b, F32 c) { return {BatchF(native_fma(a.v, b.v, c.v))}; }

// b where a or b is NaN (on NEON: NaN where either is).
inline F32 max(F32 a, F32 b) { return {xsimd::max(a.v, b.v)}; }
inline F32 min(F32 a, F32 b) { return {xsimd::min(a.v, b.v)}; }
template <int kBits>
inline I32 shift_left(I32 a) {
  return {a.v << kBits};
}

// Zeros come from above.
template <int kBits>
inline I32 shift_right(I32 a) {
  return {BatchI(native_shift_right<kBits>(a.v))};
}

inline I32 bits(F32 a) { return {BatchI(native_bits(a.v))}; }
inline F32 from_bits(I32 a) { return {BatchF(native_floats(a.v))}; }
// What a loop of integer products made: g++ 12 would copy it in every turn for another operation's sake.
inline I32 settled(I32 a) {
#if defined(__AVX512F__)
  __asm__("" : "+v"(a.v.data));
#endif
  return a;
}

inline F32 to_float(I32 a) { return {xsimd::to_float(settled(a).v)}; }
inline F32 abs(F32 a) { return from_bits(bits(a) & I32::set1(0x7fffffff)); }

// The lower 16 bits of each; they must not exceed 65535.
inline void store_u16(I32 a, uint16_t* p) { store_low_halves(a.v, p); }

// The lowest 8 bits of each.
inline void store_u8(I32 a, uint8_t* p) { native_store_bytes(a.v, p); }

// All bits set where a > 0.
inline I32 positive(F32 a) { return {BatchI(native_positive(a.v))}; }

// a + the sum of the products of the low and of the high int16 halves of b and c.
inline I32 dot_pairs(I32 a, I32 b, I32 c) { return {BatchI(native_dot_pairs(a.v, b.v, c.v))}; }

// A vector that stays in a register until its last use.
#if defined(__AVX2__) && !defined(__AVX512F__)
inline F32 keep(F32 a) { return {BatchF(native_loaded(a.v))}; }
inline I32 keep(I32 a) { return {BatchI(native_loaded(a.v))}; }
#else
inline F32 keep(F32 a) { return a; }
inline I32 keep(I32 a) { return a; }
#endif

// The low int16 half of the one and the high half of the other.
inline I32 low_and_high(I32 low, I32 high) { return {BatchI(native_low_and_high(low.v, high.v))}; }

// Two bytes for each lane, as its int16 halves.
inline I32 load_pairs(const int8_t* p) { return {BatchI(native_load_pairs(p))}; }

// Bytes 0 and 2, or 1 and 3, of each lane, as its int16 halves.
inline I32 even_bytes(I32 a) { return {BatchI(native_even_bytes(a.v))}; }
inline I32 odd_bytes(I32 a) { return {BatchI(native_odd_bytes(a.v))}; }
// Of each four lanes, the second and the third change places.
inline I32 swap_middle(I32 a) { return {BatchI(native_swap_middle(a.v))}; }
// Of each four int16, the second and the third change places.
inline I32 swap_pairs(I32 a) { return {BatchI(native_swap_pairs(a.v))}; }
inline F32 load_bf16(const uint16_t* p) { return {BatchF(native_load_bf16(p))}; }
inline float least(F32 a) { return native_least(a.v); }  // of all lanes, none of them NaN
inline I32 operator*(I32 a, I32 b) { return {BatchI(native_multiply(a.v, b.v))}; }

inline I32 max(I32 a, I32 b) { return {BatchI(native_max(a.v, b.v))}; }
inline int32_t largest_lane(I32 a) { return native_largest_lane(a.v); }
inline int32_t lane_sum(I32 a) { return native_lane_sum(a.v); }  // modulo 2^32
inline int32_t first_lane(I32 a) { return native_first_lane(a.v); }
inline float first_lane(F32 a) { return native_first_lane(a.v); }

// Four rows of bytes -> four vectors of cells, each with a byte of every row. Within each 128 bits, the first vector
// holds the cells of bytes 0 to 3, the second those of bytes 4 to 7, and so on.
inline void interleave_rows(const I32* rows, I32* out) {
  decltype(native_bits(F32::set1(0).v)) in[4], cells[4];
  for (int i = 0; i < 4; ++i) in[i] = rows[i].v;
  native_interleave(in, cells);
  for (int i = 0; i < 4; ++i) out[i] = {BatchI(cells[i])};
}

// a + the sum of the four products of unsigned bytes below 128 and signed bytes in each cell.
inline I32 dot_quads(I32 a, I32 weights, I32 values) { return {BatchI(native_dot_quads(a.v, weights.v, values.v))}; }

#if defined(LFFN_ADD_TWO_QUADS)
// The same at the place where it stands.
inline I32 add_quads(I32 a, I32 numbers, I32 weights) { return {BatchI(native_add_quads(a.v, numbers.v, weights.v))}; }
// Two of them, where beyond_sums() has no bit for the weights and `most` = INT16_MAX / 127.
inline I32 add_two_quads(I32 a, I32 numbers, I32 weights, I32 numbers2, I32 weights2) {
  return {BatchI(native_add_two_quads(a.v, numbers.v, weights.v, numbers2.v, weights2.v))};
}
// Bits are set where, of two neighbours of the first and the two at their places of the second, those of one sign add
// up to more than `most`.
inline I32 beyond_sums(I32 weights, I32 weights2, int16_t most) {
  return {BatchI(native_beyond_sums(weights.v, weights2.v, most))};
}
#endif

// The same for unsigned bytes of any size.
inline I32 dot_bytes(I32 a, I32 counts, I32 values) { return {BatchI(native_dot_bytes(a.v, counts.v, values.v))}; }

// Whether there are such products in one instruction, and what is added to signed bytes for its first factor.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__) || defined(__ARM_FEATURE_DOTPROD)
constexpr bool kByteDot = true;
#else
constexpr bool kByteDot = false;
#endif
#if defined(__aarch64__)
constexpr int kByteZero = 0;
inline I32 dot_raised(I32 a, I32 raised, I32 values) {
  return {BatchI(native_dot_signed(a.v, vreinterpretq_s8_s32(raised.v), vreinterpretq_s8_s32(values.v)))};
}
#else
constexpr int kByteZero = kByteDot ? 128 : 0;
inline I32 dot_raised(I32 a, I32 raised, I32 values) { return dot_bytes(a, raised, values); }
#endif

// The low bytes of four vectors, in the order of a cell's bytes.
inline I32 pack_bytes(I32 a, I32 b, I32 c, I32 d) {
  const I32 even = low_and_high(a, shift_left<16>(c)), odd = low_and_high(b, shift_left<16>(d));
  return (even & I32::set1(0x00ff00ff)) | (shift_left<8>(odd) & I32::set1(static_cast<int32_t>(0xff00ff00u)));
}

#if defined(__AVX512F__)
// Of 16 numbers those of the indices.
inline F32 pick(F32 numbers, I32 index) { return {BatchF(native_pick(numbers.v, index.v))}; }
#endif
#if defined(__AVX512VBMI__)
// Of 64 bytes those of the indices, which are bytes too.
inline I32 pick_bytes(I32 bytes, I32 index) { return {BatchI(native_pick_bytes(bytes.v, index.v))}; }
#endif

inline bool any_bit(I32 a) { return native_any_bit(a.v); }

}  // namespace
}  // namespace lffn
