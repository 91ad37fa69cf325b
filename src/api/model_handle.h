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
};

namespace lffn {

// What a call fills. Nothing is shown until it succeeds.
RunMemory& begin_result(lffn_result& result);

}  // namespace lffn
