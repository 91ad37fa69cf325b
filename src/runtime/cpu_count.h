// SPDX-License-Identifier: Apache-2.0
// How many CPUs and threads the process may use.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/system.h"

namespace lffn {

// The CPUs of OpenMP's places, none unless OMP_PLACES or OMP_PROC_BIND is set and OpenMP is built in.
CpuSet openmp_places();

// What control groups leave of so many CPUs, at least 1.
int32_t within_quota(int32_t cpus);

// What places, the calling thread's affinity mask and control groups leave, at least 1.
int32_t usable_cpus();

// usable_cpus(), or what OMP_NUM_THREADS and OMP_THREAD_LIMIT leave of them.
int32_t available_threads();

// The smallest quota of this process's control group and those around it, of version 1 and 2, in CPUs, rounded up; 0
// where there is none. The system's files are looked for below `root`.
int32_t cpu_quota(const std::string& root = "");

}  // namespace lffn
