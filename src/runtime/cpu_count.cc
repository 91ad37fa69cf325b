#include "runtime/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "runtime/cpu_quota.h"
#include "runtime/executor.h"

namespace lffn {
namespace {

int32_t affinity_count() {
#ifdef CPU_COUNT
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
}

// The first number of a variable that may hold a list, or 0.
int32_t openmp_number(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : static_cast<int32_t>(std::clamp(std::strtol(text, nullptr, 10), 0L, long{kMaxThreads}));
}

}  // namespace

int32_t usable_cpus() {
  int32_t count = affinity_count();
  if (const int32_t quota = cpu_quota(); quota > 0) count = std::min(count, quota);
  return std::clamp(count, 1, kMaxThreads);
}

int32_t available_threads() {
  int32_t count = usable_cpus();
  for (const char* variable : {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"}) {
    if (const int32_t limit = openmp_number(variable); limit > 0) count = std::min(count, limit);
  }
  return count;
}

}  // namespace lffn
