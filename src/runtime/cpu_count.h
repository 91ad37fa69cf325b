// How many CPUs and threads the process may use.
#pragma once

#include <cstdint>

namespace lffn {

// What places, affinity mask and control groups leave, at least 1.
int32_t usable_cpus();

// usable_cpus(), or what OMP_NUM_THREADS and OMP_THREAD_LIMIT leave of them.
int32_t available_threads();

}  // namespace lffn
