// SPDX-License-Identifier: Apache-2.0
#include "runtime/environment.h"

#include <cstdlib>

#include "runtime/error.h"
#include "runtime/executor.h"
#include "runtime/forever.h"

namespace lffn {
namespace {

Environment read() {
  Environment result;
  if (const char* isa = std::getenv("LOOKUPFFN_ISA")) result.isa = isa;
  if (const char* executor = std::getenv("LOOKUPFFN_EXECUTOR")) result.executor = executor;
  const char* threads = std::getenv("LOOKUPFFN_NUM_THREADS");
  if (threads == nullptr || *threads == '\0') return result;
  char* end = nullptr;
  const long value = std::strtol(threads, &end, 10);
  if (*end != '\0' || value < 1 || value > kMaxThreads) {
    result.problem = std::string("LOOKUPFFN_NUM_THREADS is '") + threads + "'; set it to a number from 1 to " +
                     std::to_string(kMaxThreads) + ", or unset it";
  } else {
    result.num_threads = static_cast<int32_t>(value);
  }
  return result;
}

}  // namespace

const Environment& environment() {
  static Forever<const Environment> result;
  return result.get(read);
}

void check_environment() {
  if (!environment().problem.empty()) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s", environment().problem.c_str());
}

}  // namespace lffn
