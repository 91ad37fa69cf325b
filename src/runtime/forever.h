// SPDX-License-Identifier: Apache-2.0
// An object that is made when first asked for and never destroyed: calls may come while the process ends.
#pragma once

#include <atomic>
#include <mutex>
#include <new>
#include <type_traits>

#include "runtime/short_lock.h"

namespace lffn {

// For static variables. C++ guards a function's static variable of any other class with a lock. A child that is forked
// while another thread makes the object would wait for that lock for ever; here the child makes its own object.
template <typename T>
class Forever {
 public:
  constexpr Forever() = default;

  // The object, which make() returns the first time. If make() throws, the next caller tries again.
  template <typename Make>
  T& get(Make&& make) {
    if (!made_.load(std::memory_order_acquire)) {
      std::lock_guard<ShortLock> lock(lock_);
      if (!made_.load(std::memory_order_relaxed)) {
        new (storage_) std::remove_const_t<T>(make());
        made_.store(true, std::memory_order_release);
      }
    }
    return *std::launder(reinterpret_cast<T*>(storage_));
  }

 private:
  alignas(T) unsigned char storage_[sizeof(T)] = {};
  ShortLock lock_;
  std::atomic<bool> made_{false};
};

}  // namespace lffn
