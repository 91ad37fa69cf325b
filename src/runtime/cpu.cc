// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu.h"

#include <cstdint>

#include "runtime/forever.h"
#include "runtime/system.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define LFFN_X86 1
#endif

namespace lffn {
namespace {

#ifdef LFFN_X86

struct Registers {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  if (static_cast<uint32_t>(__get_cpuid_max(leaf & 0x80000000u, nullptr)) >= leaf) {
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
  }
  return r;
}

bool bit(uint32_t word, int index) { return (word >> index & 1) != 0; }

CpuFeatures detect() {
  CpuFeatures features;
  const Registers basic = cpuid(1, 0);
  const bool has_xgetbv = bit(basic.ecx, 27);
  if (!has_xgetbv) return features;
  // The CPU may have the instructions while the system does not save their registers: XCR0 tells.
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  const bool saves_ymm = (low & 0x06) == 0x06;
  const bool saves_zmm = (low & 0xe6) == 0xe6 || (saves_ymm && saves_zmm_when_used());
  const Registers extended = cpuid(7, 0);
  features.avx2 = saves_ymm && bit(basic.ecx, 12) && bit(basic.ecx, 28) && bit(extended.ebx, 5);
  features.avx512 = features.avx2 && saves_zmm && bit(extended.ebx, 16) && bit(extended.ebx, 17) &&
                    bit(extended.ebx, 30) && bit(extended.ebx, 31);
  features.avx512_vnni = features.avx512 && bit(extended.ecx, 11);
  features.avx512_vbmi = features.avx512_vnni && bit(extended.ecx, 1) && bit(extended.ecx, 14);  // and VPOPCNTDQ
  features.avx_vnni = features.avx2 && extended.eax >= 1 && bit(cpuid(7, 1).eax, 4);
  return features;
}

#elif defined(__aarch64__)

CpuFeatures detect() {
  CpuFeatures features;
  features.neon = true;  // part of the architecture's base
  features.neon_dot = has_neon_dot();
  features.neon_i8mm = features.neon_dot && has_neon_i8mm();
  return features;
}

#else

CpuFeatures detect() { return {}; }

#endif

CacheSizes ask_cache_sizes() {
  const CacheSizes guess;
  size_t told[3] = {guess.l1, guess.l2, guess.l3};
  tell_cache_sizes(told);
  return {told[0], told[1], told[2]};
}

}  // namespace

const CpuFeatures& cpu_features() {
  static Forever<const CpuFeatures> features;
  return features.get(detect);
}

const CacheSizes& cache_sizes() {
  static Forever<const CacheSizes> sizes;
  return sizes.get(ask_cache_sizes);
}

}  // namespace lffn
