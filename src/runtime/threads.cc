#include "runtime/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

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

// The CPUs that a container's quota allows, or 0 where there is none. Version 2 of cgroups has one file, version 1 two.
int32_t quota_count() {
  double quota = 0, period = 0;
  std::ifstream unified("/sys/fs/cgroup/cpu.max");
  if (!(unified >> quota >> period)) {
    std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    if (!(quota_file >> quota) || !(period_file >> period)) return 0;
  }
  if (quota <= 0 || period <= 0) return 0;
  return std::max(1, static_cast<int32_t>(std::min(std::ceil(quota / period), double{kMaxThreads})));
}

// The first number of OMP_NUM_THREADS, which may be a list, or 0.
int32_t openmp_count() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  return text == nullptr ? 0 : static_cast<int32_t>(std::clamp(std::strtol(text, nullptr, 10), 0L, long{kMaxThreads}));
}

}  // namespace

int32_t available_threads() {
  int32_t count = affinity_count();
  for (const int32_t limit : {quota_count(), openmp_count()}) {
    if (limit > 0) count = std::min(count, limit);
  }
  return std::clamp(count, 1, kMaxThreads);
}

void parallel_for(int64_t n_items, int32_t num_threads, LoopBody body, void* context) {
#ifdef _OPENMP
  if (n_items > 1 && num_threads > 1) {
    const int threads = static_cast<int>(std::min<int64_t>(num_threads, n_items));
    std::atomic<int64_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
    {
      const int32_t thread = omp_get_thread_num();
      try {
        for (int64_t item; !failed && (item = next.fetch_add(1)) < n_items;) body(context, item, thread);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    return;
  }
#else
  (void)num_threads;
#endif
  for (int64_t item = 0; item < n_items; ++item) body(context, item, 0);
}

}  // namespace lffn
