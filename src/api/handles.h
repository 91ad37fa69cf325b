// SPDX-License-Identifier: Apache-2.0
// What the handles of a runtime, a model, a tokenizer and a result are.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "api/boundary.h"
#include "kernels/kernels.h"
#include "layer/layer.h"
#include "model/model.h"
#include "run/memory.h"
#include "run/outputs.h"
#include "runtime/executor.h"
#include "runtime/hooks.h"
#include "runtime/short_lock.h"

namespace lffn {

// What the handles of a runtime share.
struct Runtime {
  Hooks hooks;
  std::shared_ptr<Executor> executor;
  const Kernels& kernels;
  int32_t num_threads;  // 0: no limit
};

}  // namespace lffn

struct lffn_runtime {
  std::shared_ptr<const lffn::Runtime> shared;
};

namespace lffn {

// What a handle keeps of its runtime; nullptr: the process's settings.
using SharedRuntime = std::shared_ptr<const Runtime>;
inline const Hooks* hooks_of(const SharedRuntime& runtime) { return runtime == nullptr ? nullptr : &runtime->hooks; }

}  // namespace lffn

namespace lffn {

// Counts the owners of a handle, which itself never changes.
class Owners {
 public:
  void add() { count_.fetch_add(1, std::memory_order_relaxed); }
  // Whether that was the last owner. What the others did with the handle happens before.
  bool remove() { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::atomic<int64_t> count_{1};
};

template <typename Handle>
Handle* retain_handle(Handle* handle) noexcept {
  if (handle != nullptr) handle->owners.add();
  return handle;
}

// Removes an owner, and frees the handle once the last one leaves.
template <typename Handle>
void leave_handle(Handle* handle) noexcept {
  if (handle != nullptr && handle->owners.remove()) free_handle(handle);
}

}  // namespace lffn

struct lffn_layer {
  lffn::SharedRuntime runtime;
  std::unique_ptr<const lffn::Layer> layer;
  lffn::Owners owners = {};
};

struct lffn_model {
  lffn::SharedRuntime runtime;
  std::unique_ptr<const lffn::Model> model;
  // The model's tokenizers use the pool, too, and may outlive the model.
  std::shared_ptr<lffn::CallMemoryPool> memory = std::make_shared<lffn::CallMemoryPool>();
  lffn::Owners owners = {};
};

struct lffn_tokenizer {
  std::shared_ptr<const lffn::Tokenizer> tokenizer;
  int64_t own_max_tokens;  // 0: none
  lffn::SharedRuntime runtime;
  std::shared_ptr<lffn::Executor> executor;
  int32_t num_threads;
  std::shared_ptr<lffn::CallMemoryPool> memory;
  lffn::Owners owners = {};
};

struct lffn_result {
  lffn::CallResult call;
  uint32_t trims = 0;            // the number of trims that it has heeded
  mutable lffn::ShortLock lock;  // guards what is shown, while no call fills, and is_filling
  bool is_filling = false;
};

namespace lffn {

// A call that fills a result. No other call may fill it meanwhile, on another thread or within a callback. Nothing is
// shown until it succeeds.
class Filling {
 public:
  explicit Filling(lffn_result& result);  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where another call fills it.
  ~Filling();
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;
  CallResult& call() const { return result_.call; }

 private:
  struct Claimed {};
  Filling(lffn_result& result, Claimed) : result_(result) {}

  lffn_result& result_;
};

// Calls body(outputs, memory) with the outputs that the arguments ask for, and the memory of their result, or else
// memory that the handle's pool lends.
template <typename Args, typename Body>
void with_outputs(const Args& args, OutputSet known, CallMemoryPool& pool, Body&& body) {
  if (args.result != nullptr) {
    const Filling filling(*args.result);
    CallResult& result = filling.call();
    Outputs outputs(args.outputs, args.n_outputs, known, result.memory.rooms, &result.shown);
    return body(outputs, result.memory);
  }
  const CallMemoryPool::Lease memory(pool);
  Outputs outputs(args.outputs, args.n_outputs, known, memory.get().rooms, nullptr);
  body(outputs, memory.get());
}

}  // namespace lffn
