// SPDX-License-Identifier: Apache-2.0
#include <linux/random.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "runtime/system.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace lffn {
namespace {

#ifdef _SC_LEVEL1_DCACHE_SIZE
void replace(size_t& size, int name) {
  const long told = sysconf(name);
  if (told > 0) size = static_cast<size_t>(told);
}
#endif

// What the kernel says of the first CPU's caches. In virtual machines it is nearer the truth than sysconf, which
// multiplies what CPUID says.
void read_caches(size_t* sizes) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::ifstream level_file(folder + "level"), type_file(folder + "type"), size_file(folder + "size");
    size_t level = 0, kilobytes = 0;
    std::string type;
    if (!(level_file >> level) || !(type_file >> type) || !(size_file >> kilobytes)) return;
    if (level >= 1 && level <= 3 && type != "Instruction" && kilobytes > 0) sizes[level - 1] = kilobytes << 10;
  }
}

}  // namespace

bool random_bytes(void* to, size_t size) {
  // Not the function: an old glibc lacks it.
  return syscall(SYS_getrandom, to, size, GRND_NONBLOCK) == static_cast<long>(size);
}

int32_t allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

void tell_cache_sizes(size_t (&sizes)[3]) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  replace(sizes[0], _SC_LEVEL1_DCACHE_SIZE);
  replace(sizes[1], _SC_LEVEL2_CACHE_SIZE);
  replace(sizes[2], _SC_LEVEL3_CACHE_SIZE);
#endif
  read_caches(sizes);
}

bool has_neon_dot() {
#if defined(__aarch64__) && defined(HWCAP_ASIMDDP)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

bool saves_zmm_when_used() { return false; }

}  // namespace lffn
