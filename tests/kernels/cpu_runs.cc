// SPDX-License-Identifier: Apache-2.0
// Whether this CPU runs the kernels of that name, for programs that are compiled with their flags; says so where not.
#include <cstdio>

#include "kernels/kernels.h"

extern "C" int lffn_cpu_runs(const char* isa);
extern "C" int lffn_cpu_runs(const char* isa) {
  if (lffn::find_kernels(isa) != nullptr) return 1;
  std::printf("this CPU or this build has no %s\n", isa);
  return 0;
}
