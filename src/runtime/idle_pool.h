// SPDX-License-Identifier: Apache-2.0
// Objects that one handle's calls use and leave for the next call, so that a steady state allocates nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace lffn {

// All pools of the process, so that lffn_trim finds them.
class AnyIdlePool {
 public:
  AnyIdlePool(const AnyIdlePool&) = delete;
  AnyIdlePool& operator=(const AnyIdlePool&) = delete;

  // Frees what lies idle in all of them.
  static void trim_all();
  // How often trim_all() was called, for code that keeps memory elsewhere.
  static uint32_t trims();

 protected:
  // An object that the caller frees once it has released the lock of the list.
  struct Taken {
    void* thing = nullptr;
    void (*destroy)(void* thing) = nullptr;
  };
  AnyIdlePool() = default;
  ~AnyIdlePool() = default;
  // To be called while the object is complete: last in its constructor, and first in its destructor.
  void enter_list();
  void leave_list();
  virtual Taken take_any() = 0;

 private:
  static size_t take_from_all(Taken* taken, size_t most);

  std::atomic<AnyIdlePool*> next_{nullptr};
};

// Without a lock: a child that is forked while another thread holds one would wait for it forever.
template <typename Thing>
class IdlePool final : private AnyIdlePool {
 public:
  IdlePool() { enter_list(); }
  ~IdlePool() {
    leave_list();
    for (std::atomic<Thing*>& place : idle_) delete place.load(std::memory_order_acquire);
  }
  IdlePool(const IdlePool&) = delete;
  IdlePool& operator=(const IdlePool&) = delete;

  // The first object that `fits`, or nullptr. Objects that do not fit are put back. If none fits, one of them is freed:
  // the caller makes a larger one in its place.
  template <typename Fits>
  std::unique_ptr<Thing> take(Fits&& fits) {
    std::unique_ptr<Thing> misfit;
    for (std::atomic<Thing*>& place : idle_) {
      if (place.load(std::memory_order_relaxed) == nullptr) continue;
      std::unique_ptr<Thing> found(place.exchange(nullptr, std::memory_order_acquire));
      if (found == nullptr) continue;
      if (misfit != nullptr) give_back(std::move(misfit));
      if (fits(*found)) return found;
      misfit = std::move(found);
    }
    return nullptr;
  }

  void give_back(std::unique_ptr<Thing> thing) noexcept {
    for (std::atomic<Thing*>& place : idle_) {
      Thing* nothing = nullptr;
      if (place.compare_exchange_strong(nothing, thing.get(), std::memory_order_release, std::memory_order_relaxed)) {
        static_cast<void>(thing.release());  // NOLINT(bugprone-unused-return-value)
        return;
      }
    }
  }

 private:
  Taken take_any() override {
    for (std::atomic<Thing*>& place : idle_) {
      if (Thing* const found = place.exchange(nullptr, std::memory_order_acquire)) {
        return {found, [](void* thing) { delete static_cast<Thing*>(thing); }};
      }
    }
    return {};
  }

  static constexpr int kMostKept = 64;  // the objects of more calls at once are freed as those end

  std::atomic<Thing*> idle_[kMostKept] = {};
};

}  // namespace lffn
