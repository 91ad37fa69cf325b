// SPDX-License-Identifier: Apache-2.0
// What this CPU can do and how large its caches are, asked once.
#pragma once

#include <cstddef>

namespace lffn {

struct CpuFeatures {
  bool avx2 = false;         // with FMA, and the system saves the registers
  bool avx512 = false;       // F, BW, DQ and VL, and the system saves the registers
  bool avx512_vnni = false;  // avx512 with VNNI
  bool avx512_vbmi = false;  // avx512_vnni with VBMI and VPOPCNTDQ
  bool avx_vnni = false;     // AVX2 with products of bytes
  bool neon = false;
  bool neon_dot = false;   // with products of bytes
  bool neon_i8mm = false;  // and of matrices of bytes
};
const CpuFeatures& cpu_features();

struct CacheSizes {  // bytes, per core (l3: shared); conservative guesses where the system does not tell
  size_t l1 = 32 << 10;
  size_t l2 = 256 << 10;
  size_t l3 = 4 << 20;
};
const CacheSizes& cache_sizes();

}  // namespace lffn
