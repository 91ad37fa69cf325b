// SPDX-License-Identifier: Apache-2.0
// Where a call posts the items of its loop, and helpers take them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "runtime/executor.h"

namespace lffn {

// A helper may look at a board at any time, even if it woke late, for a loop that ended long ago. So boards are never
// freed while helpers live, everything in them is atomic, and each loop has a number of its own, which is part of the
// words that items and seats are taken from. Only a thread that has taken an item may touch what belongs to the loop,
// and the caller waits only for such threads.
class alignas(64) Board {
 public:
  constexpr Board() = default;

  // A loop of more items is run by its caller alone.
  static constexpr int64_t kMostItems = (int64_t{1} << 24) - 1;

  // The caller's side: runs all items, with helpers in at most num_threads - 1 seats. `invite` is called once helpers
  // can come in.
  template <typename Invite>
  void run(int64_t n_items, int32_t num_threads, LoopBody body, void* context, Invite&& invite) {
    Loop loop;
    loop.n_items = n_items;
    loop.body = body;
    loop.context = context;
    open(loop, num_threads);
    invite();
    work(generation_, 0);
    wait();
    if (loop.failure) std::rethrow_exception(loop.failure);
  }

  // The helper's side: takes a seat and works until no item is left. False if there was nothing to do. `joined` is
  // called once a seat is taken, before the first item, `more` after each item: if it returns false, the helper leaves.
  template <typename Joined, typename More>
  bool help(Joined&& joined, More&& more) {
    const uint64_t seen = items_.load(std::memory_order_acquire);
    if (left(seen) == 0) return false;
    const int32_t seat = take_seat(seen >> kCountBits);
    if (seat == 0) return false;
    joined();
    if (!work_one(seen >> kCountBits, seat)) return false;
    while (more() && work_one(seen >> kCountBits, seat)) {
    }
    return true;
  }

  // Whether a helper that comes now could find something to do.
  bool wants_help() const {
    const uint64_t items = items_.load(std::memory_order_seq_cst), seats = seats_.load(std::memory_order_relaxed);
    return left(items) != 0 && left(seats) != 0 && items >> kCountBits == seats >> kCountBits;
  }

 private:
  struct Loop {
    int64_t n_items;
    LoopBody body;
    void* context;
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
  };

  // items_ and seats_ hold the loop's number and, in the low bits, how many are left.
  static constexpr int kCountBits = 24;
  static constexpr uint64_t kGenerations = (uint64_t{1} << (64 - kCountBits)) - 1;
  static constexpr uint32_t kCallerSleeps = uint32_t{1} << 31;
  static constexpr uint64_t left(uint64_t word) { return word & ((uint64_t{1} << kCountBits) - 1); }

  void open(Loop& loop, int32_t num_threads);
  int32_t take_seat(uint64_t generation);
  bool work_one(uint64_t generation, int32_t thread);
  void work(uint64_t generation, int32_t thread) {
    while (work_one(generation, thread)) {
    }
  }
  void give_up(uint64_t generation);
  void finish(uint32_t items);
  void wait();

  uint64_t generation_ = 0;  // the caller's
  std::atomic<uint64_t> items_{0};
  std::atomic<uint64_t> seats_{0};
  std::atomic<Loop*> loop_{nullptr};
  alignas(64) std::atomic<uint32_t> unfinished_{0};
};

}  // namespace lffn
