// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include "runtime/cpu_count.h"
#include "runtime/system.h"

namespace lffn {

int32_t process_number() { return getpid(); }
namespace {

// 0 where the system does not know the name.
uint64_t told_number(const char* name) {
  uint64_t value = 0;  // a number of 4 bytes fills only the lower half
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? value : 0;
}

}  // namespace

bool random_bytes(void* to, size_t size) {
  arc4random_buf(to, size);
  return true;
}

int32_t allowed_cpus() { return 0; }  // there are no affinity masks

CpuSet process_cpus() { return {}; }

int32_t cpu_quota(const std::string&) { return 0; }

void tell_cache_sizes(size_t (&sizes)[3]) {
  // The caches of the fast cores, if there are two kinds. Only newer systems know the first names.
  const char* const names[][2] = {{"hw.perflevel0.l1dcachesize", "hw.l1dcachesize"},
                                  {"hw.perflevel0.l2cachesize", "hw.l2cachesize"},
                                  {"hw.perflevel0.l3cachesize", "hw.l3cachesize"}};
  for (int level = 0; level < 3; ++level) {
    uint64_t told = told_number(names[level][0]);
    if (told == 0) told = told_number(names[level][1]);
    if (told != 0) sizes[level] = static_cast<size_t>(told);
  }
}

bool has_neon_dot() { return told_number("hw.optional.arm.FEAT_DotProd") != 0; }

bool has_neon_i8mm() { return told_number("hw.optional.arm.FEAT_I8MM") != 0; }

bool saves_zmm_when_used() { return told_number("hw.optional.avx512f") != 0; }

}  // namespace lffn
