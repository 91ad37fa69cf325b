// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_count.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "runtime/executor.h"

namespace lffn {
namespace {

int32_t affinity_count() {
  // OpenMP binds the program's first thread to one place alone, so its mask says less than the places.
  if (const CpuSet places = openmp_places(); places.any()) return static_cast<int32_t>(places.count());
  if (const int32_t allowed = allowed_cpus(); allowed > 0) return allowed;
  return static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
}

// The first number of a variable that may hold a list, or 0.
int32_t openmp_number(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : static_cast<int32_t>(std::clamp(std::strtol(text, nullptr, 10), 0L, long{kMaxThreads}));
}

}  // namespace

CpuSet openmp_places() {
  CpuSet cpus;
#ifdef _OPENMP
  // LLVM's OpenMP always reports one place: where the thread that asked first may run.
  if (omp_get_proc_bind() == omp_proc_bind_false) return cpus;
  std::vector<int> ids;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    ids.resize(static_cast<size_t>(std::max(0, omp_get_place_num_procs(place))));
    omp_get_place_proc_ids(place, ids.data());
    for (const int id : ids) {
      if (id >= 0 && static_cast<size_t>(id) < cpus.size()) cpus.set(static_cast<size_t>(id));
    }
  }
#endif
  return cpus;
}

int32_t within_quota(int32_t cpus) {
  if (const int32_t quota = cpu_quota(); quota > 0) cpus = std::min(cpus, quota);
  return std::clamp(cpus, 1, kMaxThreads);
}

int32_t usable_cpus() { return within_quota(affinity_count()); }

int32_t available_threads() {
  int32_t count = usable_cpus();
  for (const char* variable : {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"}) {
    if (const int32_t limit = openmp_number(variable); limit > 0) count = std::min(count, limit);
  }
  return count;
}

}  // namespace lffn
