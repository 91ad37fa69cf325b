// SPDX-License-Identifier: Apache-2.0
// The seam between the library's loops and the threads that run them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace lffn {

constexpr int32_t kMaxThreads = 1024;

// Runs one item of a loop. `thread` is below the loop's num_threads, and no two items with the same `thread` run at
// once.
using LoopBody = void (*)(void* context, int64_t item, int32_t thread);

// One call of the host into the library, while it runs in the calling thread.
class OpenCall {
 public:
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  // Runs all items, in the calling thread and in helpers, and returns once all that were begun are done. The first
  // exception of an item is rethrown; items that had not begun by then are left out.
  virtual void loop(int64_t n_items, int32_t num_threads, LoopBody body, void* context) = 0;

  // The calling thread's, or NULL.
  static OpenCall* current();

 protected:
  OpenCall();
  ~OpenCall();

 private:
  OpenCall* outer_;
};

// A call that has no helpers.
class AloneCall final : public OpenCall {
 public:
  void loop(int64_t n_items, int32_t num_threads, LoopBody body, void* context) override;
};

// Runs the loops of a handle's calls. Each handle keeps its executor alive.
class Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  // Runs body(context) in the calling thread, as a call whose loops want up to so many threads.
  virtual void call(int32_t num_threads, void (*body)(void* context), void* context) = 0;

  // How many threads a handle gets if its maker named no number.
  virtual int32_t default_threads() const = 0;
};

// The executor that LOOKUPFFN_EXECUTOR calls by this name; "": the team. Throws Error.
std::shared_ptr<Executor> make_executor(const std::string& name);

// The executor that the environment asks for. Throws Error.
const std::shared_ptr<Executor>& default_executor();

// Calls that run in a parallel region of OpenMP, for hosts that want all work in their OpenMP threads. NULL where
// OpenMP is not built in.
std::shared_ptr<Executor> openmp_executor();

// A function that the host lends. It calls run(context, item) once for each item in [0, n_items), in any order, on any
// threads, and returns once all have returned. Several threads may ask for loops at once. It must not throw exceptions
// of its own.
using HostLoop = void (*)(void* user, int64_t n_items, void (*run)(void* context, int64_t item), void* context);

struct HostThreads {
  HostLoop parallel_for = nullptr;
  void* user = nullptr;
  int32_t num_threads = 0;  // of handles that name no number; 0: what the environment leaves
};

// Calls whose loops run in the host's threads.
std::shared_ptr<Executor> host_executor(const HostThreads& threads);

}  // namespace lffn
