// SPDX-License-Identifier: Apache-2.0
// The vectors of simd.h as registers, and what xsimd does with them. Compile it with xsimd renamed per instruction set
// (-Dxsimd=...), so that no two objects share an inline function that was compiled with different flags.
#pragma once

#include <xsimd/xsimd.hpp>

namespace lffn {
namespace {

using BatchF = xsimd::batch<float>;
using BatchI = xsimd::batch<int32_t>;

struct I32 {
  static constexpr int kLanes = static_cast<int>(BatchI::size);
  BatchI::register_type v;
  static I32 load(const int32_t* p) { return {BatchI::load_unaligned(p)}; }
  static I32 set1(int32_t value) { return {BatchI(value)}; }
  void store(int32_t* p) const { BatchI(v).store_unaligned(p); }
};

struct F32 {
  static constexpr int kLanes = static_cast<int>(BatchF::size);
  BatchF::register_type v;
  static F32 load(const float* p) { return {BatchF::load_unaligned(p)}; }
  static F32 set1(float value) { return {BatchF(value)}; }
  void store(float* p) const { BatchF(v).store_unaligned(p); }
};

inline F32 operator+(F32 a, F32 b) { return {BatchF(a.v) + BatchF(b.v)}; }
inline F32 operator-(F32 a, F32 b) { return {BatchF(a.v) - BatchF(b.v)}; }
inline F32 operator*(F32 a, F32 b) { return {BatchF(a.v) * BatchF(b.v)}; }
inline I32 operator+(I32 a, I32 b) { return {BatchI(a.v) + BatchI(b.v)}; }
inline I32 operator-(I32 a, I32 b) { return {BatchI(a.v) - BatchI(b.v)}; }
inline I32 operator&(I32 a, I32 b) { return {BatchI(a.v) & BatchI(b.v)}; }
inline I32 operator|(I32 a, I32 b) { return {BatchI(a.v) | BatchI(b.v)}; }
inline I32 operator^(I32 a, I32 b) { return {BatchI(a.v) ^ BatchI(b.v)}; }

#if defined(__aarch64__)
// xsimd 8.1 estimates these two here; they must round as everywhere.
inline F32 operator/(F32 a, F32 b) { return {vdivq_f32(a.v, b.v)}; }
inline F32 sqrt(F32 a) { return {vsqrtq_f32(a.v)}; }
#else
inline F32 operator/(F32 a, F32 b) { return {BatchF(a.v) / BatchF(b.v)}; }
inline F32 sqrt(F32 a) { return {xsimd::sqrt(BatchF(a.v))}; }
#endif

// b where a or b is NaN (on NEON: NaN where either is).
inline F32 max(F32 a, F32 b) { return {xsimd::max(BatchF(a.v), BatchF(b.v))}; }
inline F32 min(F32 a, F32 b) { return {xsimd::min(BatchF(a.v), BatchF(b.v))}; }
inline I32 max(I32 a, I32 b) { return {xsimd::max(BatchI(a.v), BatchI(b.v))}; }
template <int kBits>
inline I32 shift_left(I32 a) {
  return {BatchI(a.v) << kBits};
}
// Zeros come from above.
template <int kBits>
inline I32 shift_right(I32 a) {
  return {xsimd::bitwise_cast<BatchI>(xsimd::bitwise_cast<xsimd::batch<uint32_t>>(BatchI(a.v)) >> kBits)};
}

inline I32 bits(F32 a) { return {xsimd::bitwise_cast<BatchI>(BatchF(a.v))}; }
inline F32 from_bits(I32 a) { return {xsimd::bitwise_cast<BatchF>(BatchI(a.v))}; }
inline F32 abs(F32 a) { return from_bits(bits(a) & I32::set1(0x7fffffff)); }

// The sums of a loop of integer products. Without this g++ 12 would copy them in every turn for the sake of another
// operation.
inline I32 settled(I32 a) {
#if defined(__AVX512F__)
  __asm__("" : "+v"(a.v));
#endif
  return a;
}
inline F32 to_float(I32 a) { return {xsimd::to_float(BatchI(settled(a).v))}; }

}  // namespace
}  // namespace lffn
