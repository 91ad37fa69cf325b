// SPDX-License-Identifier: Apache-2.0
// A lock that is held only briefly.
#pragma once

#include <atomic>
#include <thread>

#include "runtime/system.h"

namespace lffn {

// It holds the number of the process. So a child that was forked while another thread of its parent held the lock takes
// it over: that thread is not there to release it.
class ShortLock {
 public:
  constexpr ShortLock() = default;

  void lock() {
    const int32_t process = process_number();
    while (true) {
      int32_t seen = 0;
      if (owner_.compare_exchange_strong(seen, process, std::memory_order_acquire)) return;
      if (seen != process && owner_.compare_exchange_strong(seen, process, std::memory_order_acquire)) return;
      std::this_thread::yield();
    }
  }
  void unlock() { owner_.store(0, std::memory_order_release); }

 private:
  std::atomic<int32_t> owner_{0};
};

}  // namespace lffn
