// SPDX-License-Identifier: Apache-2.0
// What the handles of a model, a tokenizer and a result are.
#pragma once

#include <atomic>
#include <memory>

#include "api/run_memory.h"
#include "api/runtime_handle.h"
#include "model/model.h"
#include "runtime/idle_pool.h"

struct lffn_model {
  lffn::SharedRuntime runtime;
  std::unique_ptr<const lffn::Model> model;
  mutable lffn::RunMemoryPool memory;
  std::atomic<int64_t> owners{1};
};

struct lffn_tokenizer {
  std::shared_ptr<const lffn::Tokenizer> tokenizer;
  int64_t own_max_tokens;  // 0: none
  lffn::SharedRuntime runtime;
  std::shared_ptr<lffn::Executor> executor;
  int32_t num_threads;
  mutable lffn::IdlePool<lffn::TextRows> memory;  // of calls with texts that are not long
};

struct lffn_result {
  lffn::RunMemory memory;
  uint32_t trims = 0;  // that it heeded
  lffn_result_view view = {};
  std::atomic<bool> is_filling{false};
};

namespace lffn {

// A call that fills a result: no other may meanwhile, on another thread or within a callback. Nothing is shown until it
// succeeds.
class Filling {
 public:
  explicit Filling(lffn_result& result);  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where another call fills it.
  ~Filling() { result_.is_filling.store(false, std::memory_order_release); }
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;
  RunMemory& memory() const { return result_.memory; }
  lffn_result_view& view() const { return result_.view; }

 private:
  struct Claimed {};
  Filling(lffn_result& result, Claimed) : result_(result) {}

  lffn_result& result_;
};

}  // namespace lffn
