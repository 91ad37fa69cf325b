// SPDX-License-Identifier: Apache-2.0
// Calls whose loops run in threads of the host's, by a function that it lends.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/executor.h"

namespace lffn {

// Calls run(context, item) once for each item in [0, n_items), in any order, on any threads, and returns once all have
// returned. Several threads may ask for loops at once. It must not let exceptions of its own out.
using HostLoop = void (*)(void* user, int64_t n_items, void (*run)(void* context, int64_t item), void* context);

struct HostThreads {
  HostLoop parallel_for = nullptr;
  void* user = nullptr;
  int32_t num_threads = 0;  // of handles that name no number; 0: what the environment leaves
};

std::shared_ptr<Executor> host_executor(const HostThreads& threads);

}  // namespace lffn
