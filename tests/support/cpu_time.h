// SPDX-License-Identifier: Apache-2.0
// What a test measures that must hold beside other work.
#pragma once

#include <ctime>

namespace lffn {

// Seconds that this thread has computed: unlike those of a clock they grow little beside other work.
inline double cpu_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace lffn
