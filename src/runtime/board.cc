// SPDX-License-Identifier: Apache-2.0
#include "runtime/board.h"

#include <utility>

#include "runtime/futex.h"

namespace lffn {

void Board::open(Loop& loop, int32_t num_threads) {
  generation_ = (generation_ + 1) & kGenerations;
  const uint64_t number = generation_ << kCountBits;
  loop_.store(&loop, std::memory_order_relaxed);
  unfinished_.store(static_cast<uint32_t>(loop.n_items), std::memory_order_relaxed);
  seats_.store(number | static_cast<uint64_t>(num_threads - 1), std::memory_order_relaxed);
  // Sequentially consistent with the count of sleepers: either the caller sees a helper that goes to sleep, or that
  // helper sees the items.
  items_.store(number | static_cast<uint64_t>(loop.n_items), std::memory_order_seq_cst);
}

int32_t Board::take_seat(uint64_t generation) {
  uint64_t seen = seats_.load(std::memory_order_relaxed);
  while (seen >> kCountBits == generation && left(seen) > 0) {
    if (seats_.compare_exchange_weak(seen, seen - 1, std::memory_order_relaxed))
      return static_cast<int32_t>(left(seen));
  }
  return 0;
}

bool Board::work_one(uint64_t generation, int32_t thread) {
  uint64_t seen = items_.load(std::memory_order_relaxed);
  do {
    if (seen >> kCountBits != generation || left(seen) == 0) return false;
  } while (!items_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire, std::memory_order_relaxed));
  Loop& loop = *loop_.load(std::memory_order_relaxed);
  try {
    loop.body(loop.context, loop.n_items - static_cast<int64_t>(left(seen)), thread);
  } catch (...) {
    if (!loop.failed.exchange(true, std::memory_order_relaxed)) loop.failure = std::current_exception();
    give_up(generation);
  }
  finish(1);
  return true;
}

// Takes all items that nobody has begun.
void Board::give_up(uint64_t generation) {
  uint64_t seen = items_.load(std::memory_order_relaxed);
  while (left(seen) > 0 && !items_.compare_exchange_weak(seen, generation << kCountBits, std::memory_order_relaxed)) {
  }
  if (left(seen) > 0) finish(static_cast<uint32_t>(left(seen)));
}

void Board::finish(uint32_t items) {
  if (unfinished_.fetch_sub(items, std::memory_order_acq_rel) == (kCallerSleeps | items)) futex_wake(unfinished_, 1);
}

// Waits only for items that helpers have begun.
void Board::wait() {
  constexpr int kSpins = 2000;
  for (int spin = 0; spin < kSpins; ++spin) {
    if (unfinished_.load(std::memory_order_acquire) == 0) return;
    pause_cpu();
  }
  uint32_t seen = unfinished_.load(std::memory_order_acquire);
  while ((seen & ~kCallerSleeps) != 0) {
    if ((seen & kCallerSleeps) != 0 || unfinished_.compare_exchange_weak(seen, seen | kCallerSleeps)) {
      futex_wait(unfinished_, seen | kCallerSleeps);
      seen = unfinished_.load(std::memory_order_acquire);
    }
  }
}

}  // namespace lffn
