// SPDX-License-Identifier: Apache-2.0
// How the library runs its work: as calls of the host, and parallel loops inside them.
#pragma once

#include <cstdint>

#include "runtime/executor.h"
#include "runtime/float_mode.h"

namespace lffn {

// Runs body() as a call: its loops share the threads that the executor lends. Inside another call it is a part of that
// call.
template <typename Body>
void run_call(Executor& executor, int32_t num_threads, Body&& body) {
  if (num_threads <= 1 || OpenCall::current() != nullptr) return body();
  executor.call(
      num_threads, [](void* context) { (*static_cast<Body*>(context))(); }, &body);
}

// Calls body(context, item, thread) for each item in [0, n_items), on at most num_threads threads; `thread` is below
// num_threads and no two calls with the same `thread` run at once. With one thread or one item everything runs in the
// caller. The first exception is rethrown once every item that had begun is done.
void parallel_for(int64_t n_items, int32_t num_threads, LoopBody body, void* context);

template <typename Body>
void parallel_for(int64_t n_items, int32_t num_threads, Body&& body) {
  parallel_for(
      n_items, num_threads,
      [](void* context, int64_t item, int32_t thread) {
        const FloatMode float_mode;  // a helper may be the host's thread
        (*static_cast<Body*>(context))(item, thread);
      },
      &body);
}

// How many threads a handle uses if its maker wanted so many; 0: what the environment leaves.
int32_t resolve_threads(int32_t wanted, const Executor& executor = *default_executor());

}  // namespace lffn
