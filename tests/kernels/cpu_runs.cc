// SPDX-License-Identifier: Apache-2.0
// Whether this CPU runs the kernels of that name, for programs that are compiled with their flags.
#include "kernels/kernels.h"

extern "C" int lffn_cpu_runs(const char* isa);
extern "C" int lffn_cpu_runs(const char* isa) { return lffn::find_kernels(isa) != nullptr ? 1 : 0; }
