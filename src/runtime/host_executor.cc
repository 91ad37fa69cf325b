// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "runtime/cpu_count.h"
#include "runtime/executor.h"

namespace lffn {
namespace {

// Turns a loop of the library into a few items of the host. Each of these takes the library's items until none is left,
// so the host may run its items one after another as well as at once.
class Shares {
 public:
  Shares(int64_t n_items, int32_t num_threads, LoopBody body, void* context)
      : n_items_(n_items), num_threads_(num_threads), body_(body), context_(context) {}

  static void run_one(void* shares, int64_t) { static_cast<Shares*>(shares)->run(); }

  void run() {
    const int32_t thread = begun_.fetch_add(1, std::memory_order_relaxed);
    if (thread >= num_threads_) return;
    try {
      while (!failed_.load(std::memory_order_relaxed)) {
        const int64_t item = next_.fetch_add(1, std::memory_order_relaxed);
        if (item >= n_items_) break;
        body_(context_, item, thread);
      }
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
    ended_.fetch_add(1, std::memory_order_release);
  }

  // To be called once the host's loop has ended. Runs the items that it left out, and waits for those that it did not
  // wait for.
  void finish() {
    run();
    while (ended_.load(std::memory_order_acquire) < std::min(begun_.load(std::memory_order_relaxed), num_threads_)) {
      std::this_thread::yield();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const int64_t n_items_;
  const int32_t num_threads_;
  const LoopBody body_;
  void* const context_;
  std::atomic<int64_t> next_{0};
  std::atomic<int32_t> begun_{0}, ended_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

class HostCall final : public OpenCall {
 public:
  explicit HostCall(const HostThreads& threads) : threads_(threads) {}
  void loop(int64_t n_items, int32_t num_threads, LoopBody body, void* context) override {
    const int32_t most = static_cast<int32_t>(std::min<int64_t>(n_items, num_threads));
    Shares shares(n_items, most, body, context);
    threads_.parallel_for(threads_.user, most, Shares::run_one, &shares);
    shares.finish();
  }

 private:
  const HostThreads& threads_;
};

class HostExecutor final : public Executor {
 public:
  explicit HostExecutor(const HostThreads& threads) : threads_(threads) {}
  void call(int32_t, void (*body)(void*), void* context) override {
    const HostCall open(threads_);
    body(context);
  }
  int32_t default_threads() const override {
    return threads_.num_threads > 0 ? threads_.num_threads : available_threads();
  }

 private:
  const HostThreads threads_;
};

}  // namespace

std::shared_ptr<Executor> host_executor(const HostThreads& threads) { return std::make_shared<HostExecutor>(threads); }

}  // namespace lffn
