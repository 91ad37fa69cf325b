// SPDX-License-Identifier: Apache-2.0
// The few intrinsics that xsimd has not, or not with one rounding: each in one form per instruction set.
#pragma once

#include <cstdint>

#if defined(__AVX512BW__)
#include "kernels/simd/simd_avx512.h"
#elif defined(__AVX2__)
#include "kernels/simd/simd_avx2.h"
#elif defined(__SSE2__)
#include "kernels/simd/simd_sse2.h"
#elif defined(__aarch64__)
#include "kernels/simd/simd_neon.h"
#endif
