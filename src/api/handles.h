// SPDX-License-Identifier: Apache-2.0
// What the handles of a runtime, a model, a tokenizer and a result are.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "api/run_memory.h"
#include "kernels/kernels.h"
#include "model/model.h"
#include "runtime/executor.h"
#include "runtime/hooks.h"
#include "runtime/idle_pool.h"
#include "runtime/short_lock.h"
#include "texts/text_rows.h"

namespace lffn {

// Handles share it.
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
  uint32_t trims = 0;            // that it heeded
  mutable lffn::ShortLock lock;  // of the two members behind it, while no call fills
  lffn_result_view view = {};
  bool is_filling = false;
};

namespace lffn {

// A call that fills a result: no other may meanwhile, on another thread or within a callback. Nothing is shown until it
// succeeds.
class Filling {
 public:
  explicit Filling(lffn_result& result);  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where another call fills it.
  ~Filling();
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;
  RunMemory& memory() const { return result_.memory; }
  lffn_result_view& view() const { return result_.view; }

 private:
  struct Claimed {};
  Filling(lffn_result& result, Claimed) : result_(result) {}

  lffn_result& result_;
};

// What a call on a tokenizer works with, and leaves for the next one.
class BorrowedRows {
 public:
  explicit BorrowedRows(const lffn_tokenizer& handle)
      : handle_(handle), rows_(handle.memory.take([](const auto&) { return true; })) {
    if (rows_ == nullptr) rows_ = std::make_unique<TextRows>();
    rows_->clear();
  }
  BorrowedRows(const BorrowedRows&) = delete;
  BorrowedRows& operator=(const BorrowedRows&) = delete;
  // What long texts or many of them took is not kept.
  ~BorrowedRows() {
    if (rows_->longest() <= kLongText && rows_->ids().size() <= kManyTokens) handle_.memory.give_back(std::move(rows_));
  }

  TextRows& operator*() const { return *rows_; }
  TextRows* operator->() const { return rows_.get(); }

 private:
  static constexpr size_t kLongText = size_t{1} << 16, kManyTokens = size_t{1} << 18;

  const lffn_tokenizer& handle_;
  std::unique_ptr<TextRows> rows_;
};

}  // namespace lffn
