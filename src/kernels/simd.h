// Vectors of floats and of int32, as wide as the instruction set this file is compiled for. Portable operations are
// xsimd's; what it lacks, or does with two roundings, is in simd_extra.h. LFFN_GENERIC builds without any vector unit.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(LFFN_GENERIC)
#include "kernels/simd_generic.h"
#else
#include "kernels/simd_xsimd.h"
#endif

namespace lffn {
namespace {

// The FMA of one number, rounded as the vectors' is.
inline float fma1(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

constexpr int kLanes = F32::kLanes;

}  // namespace
}  // namespace lffn
