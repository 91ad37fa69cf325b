#include "runtime/cpu.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "runtime/forever.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define LFFN_X86 1
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
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
  const bool saves_zmm = (low & 0xe6) == 0xe6;
  const Registers extended = cpuid(7, 0);
  features.avx2 = saves_ymm && bit(basic.ecx, 12) && bit(basic.ecx, 28) && bit(extended.ebx, 5);
  features.avx512 = features.avx2 && saves_zmm && bit(extended.ebx, 16) && bit(extended.ebx, 17) &&
                    bit(extended.ebx, 30) && bit(extended.ebx, 31);
  features.avx512_vnni = features.avx512 && bit(extended.ecx, 11);
  features.avx_vnni = features.avx2 && extended.eax >= 1 && bit(cpuid(7, 1).eax, 4);
  return features;
}

#elif defined(__aarch64__)

CpuFeatures detect() {
  CpuFeatures features;
  features.neon = true;  // part of the architecture's base
#if defined(__linux__) && defined(HWCAP_ASIMDDP)
  features.neon_dot = (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#endif
  return features;
}

#else

CpuFeatures detect() { return {}; }

#endif

// Not every C library says it; where it does not, these are guesses.
CacheSizes told_by_c_library() {
  CacheSizes sizes;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const auto replace = [](size_t& size, int name) {
    const long told = sysconf(name);
    if (told > 0) size = static_cast<size_t>(told);
  };
  replace(sizes.l1, _SC_LEVEL1_DCACHE_SIZE);
  replace(sizes.l2, _SC_LEVEL2_CACHE_SIZE);
  replace(sizes.l3, _SC_LEVEL3_CACHE_SIZE);
#endif
  return sizes;
}

// What the kernel says of the first CPU's caches. In virtual machines it is nearer the truth than sysconf, which
// multiplies what CPUID says.
void read_cache(size_t* sizes) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::ifstream level_file(folder + "level"), type_file(folder + "type"), size_file(folder + "size");
    size_t level = 0, kilobytes = 0;
    std::string type;
    if (!(level_file >> level) || !(type_file >> type) || !(size_file >> kilobytes)) return;
    if (level >= 1 && level <= 3 && type != "Instruction" && kilobytes > 0) sizes[level - 1] = kilobytes << 10;
  }
}

CacheSizes ask_cache_sizes() {
  const CacheSizes sizes = told_by_c_library();
  size_t told[3] = {sizes.l1, sizes.l2, sizes.l3};
  read_cache(told);
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
