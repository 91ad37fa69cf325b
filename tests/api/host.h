// SPDX-License-Identifier: Apache-2.0
// What a host program has of its own: a pool of threads, memory, a log.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "tests/support/allocator.h"

// A host's pool, as programs have them: tasks in a queue, three threads, loops of several callers at once.
class Pool {
 public:
  Pool() {
    for (int i = 0; i < 3; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~Pool() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    woken_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  static void parallel_for(void* pool, int64_t n_items, void (*run)(void*, int64_t), void* context) {
    static_cast<Pool*>(pool)->loop(n_items, run, context);
  }
  int64_t loops() const { return loops_; }
  int64_t most_items() const { return most_items_; }
  int64_t most_at_once() const { return most_at_once_; }
  int64_t repeated() const { return repeated_; }

 private:
  void loop(int64_t n_items, void (*run)(void*, int64_t), void* context) {
    ++loops_;
    raise(most_items_, n_items);
    raise(most_at_once_, ++at_once_);
    std::vector<std::atomic<int>> times(static_cast<size_t>(n_items));
    std::atomic<int64_t> left{n_items};
    for (int64_t item = n_items - 1; item > 0; --item) {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.emplace([&, item] {
        if (times[static_cast<size_t>(item)]++ != 0) ++repeated_;
        run(context, item);
        --left;
      });
      woken_.notify_one();
    }
    run(context, 0);
    --left;
    while (left > 0) std::this_thread::yield();
    --at_once_;
  }
  void serve() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        woken_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }
  static void raise(std::atomic<int64_t>& most, int64_t value) {
    int64_t seen = most;
    while (seen < value && !most.compare_exchange_weak(seen, value)) {
    }
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::queue<std::function<void()>> tasks_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
  std::atomic<int64_t> loops_{0}, most_items_{0}, at_once_{0}, most_at_once_{0}, repeated_{0};
};

inline lookupffn::RuntimeOptions in_pool(Pool& pool, int32_t num_threads) {
  lookupffn::RuntimeOptions options;
  options.num_threads = num_threads;
  options.parallel_for = Pool::parallel_for;
  options.parallel_user = &pool;
  return options;
}

// How many of the calls of so many callers at once were not right.
template <typename Call>
int wrong_calls(int num_callers, int calls_each, const Call& is_right) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < num_callers; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < calls_each; ++call) wrong += is_right() ? 0 : 1;
    });
  }
  for (std::thread& caller : callers) caller.join();
  return wrong;
}

// An allocator that counts.
struct Heap {
  std::atomic<int64_t> blocks{0}, taken{0};
  static void* allocate(size_t size, size_t alignment, void* heap) {
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, size) != 0) return nullptr;
    ++static_cast<Heap*>(heap)->blocks;
    ++static_cast<Heap*>(heap)->taken;
    return memory;
  }
  static void deallocate(void* memory, size_t, void* heap) {
    --static_cast<Heap*>(heap)->blocks;
    std::free(memory);
  }
  lffn_allocator allocator() { return allocator_of(allocate, deallocate, this); }
};

inline void keep_line(int32_t, const char* message, void* lines) {
  static_cast<std::vector<std::string>*>(lines)->emplace_back(message);
}
