// SPDX-License-Identifier: Apache-2.0
// The environment variables of the library, read once.
#pragma once

#include <cstdint>
#include <string>

namespace lffn {

struct Environment {
  std::string executor;     // LOOKUPFFN_EXECUTOR; empty if not set
  std::string isa;          // LOOKUPFFN_ISA; empty if not set
  int32_t num_threads = 0;  // LOOKUPFFN_NUM_THREADS; 0 if not set
  std::string problem;      // why a value cannot be used; empty if all is well
};

const Environment& environment();

// Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where a value cannot be used.
void check_environment();

}  // namespace lffn
