#include "runtime/cpu_count.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "runtime/cpu_quota.h"
#include "runtime/executor.h"

namespace lffn {
namespace {

int32_t affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // OpenMP binds the program's first thread to one place alone, so its mask says less than the places.
  if (openmp_places(&set) || sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
}

// The first number of a variable that may hold a list, or 0.
int32_t openmp_number(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : static_cast<int32_t>(std::clamp(std::strtol(text, nullptr, 10), 0L, long{kMaxThreads}));
}

}  // namespace

bool openmp_places(cpu_set_t* cpus) {
  CPU_ZERO(cpus);
#ifdef _OPENMP
  std::vector<int> ids;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    ids.resize(static_cast<size_t>(std::max(0, omp_get_place_num_procs(place))));
    omp_get_place_proc_ids(place, ids.data());
    for (const int id : ids) {
      if (id >= 0 && id < CPU_SETSIZE) CPU_SET(id, cpus);
    }
  }
#endif
  return CPU_COUNT(cpus) > 0;
}

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
