// SPDX-License-Identifier: Apache-2.0
// What the handles of a model, a tokenizer and a result are.
#pragma once

#include <memory>

#include "api/run_memory.h"
#include "api/runtime_handle.h"
#include "model/model.h"
#include "runtime/idle_pool.h"

struct lffn_model {
  lffn::SharedRuntime runtime;
  std::unique_ptr<const lffn::Model> model;
  mutable lffn::RunMemoryPool memory;
};

struct lffn_tokenizer {
  struct Memory {
    lffn::Tokenizer::Scratch scratch;
    lffn::Encoding found;
  };
  std::shared_ptr<const lffn::Tokenizer> tokenizer;
  int64_t own_max_tokens;                 // 0: none
  mutable lffn::IdlePool<Memory> memory;  // of calls with texts that are not long
};

struct lffn_result {
  lffn::RunMemory memory;
  uint32_t trims = 0;  // that it heeded
  lffn_result_view view = {};
};
