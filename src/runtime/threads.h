// How many threads to use, and a parallel loop that no exception escapes half-way.
#pragma once

#include <cstdint>

namespace lffn {

constexpr int32_t kMaxThreads = 1024;

// What the affinity mask, the cgroup quota and OMP_NUM_THREADS leave, at least 1.
int32_t available_threads();

// The most helper threads that all threads of the process may hold together.
int32_t max_helpers();

// Calls body(context, item, thread) for each item in [0, n_items), on at most num_threads threads; `thread` is below
// num_threads and no two calls with the same one run at once. With one thread, one item, or when other threads hold all
// helpers, everything runs in the caller. The first exception is rethrown once all threads are done.
using LoopBody = void (*)(void* context, int64_t item, int32_t thread);
void parallel_for(int64_t n_items, int32_t num_threads, LoopBody body, void* context);

template <typename Body>
void parallel_for(int64_t n_items, int32_t num_threads, Body&& body) {
  parallel_for(
      n_items, num_threads,
      [](void* context, int64_t item, int32_t thread) { (*static_cast<Body*>(context))(item, thread); }, &body);
}

}  // namespace lffn
