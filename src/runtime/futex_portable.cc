// SPDX-License-Identifier: Apache-2.0
// With nothing but the C++ library.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>

#include "runtime/futex.h"
#include "runtime/short_lock.h"
#include "runtime/system.h"

namespace lffn {
namespace {

struct Sleeper {
  const std::atomic<uint32_t>* word;
  Sleeper* next;
  bool awake = false;
  std::condition_variable woken;
};

struct Sleepers {
  std::mutex mutex;  // guards all that follows, and the members of each Sleeper
  Sleeper* first = nullptr;

  void remove(const Sleeper& sleeper) {
    Sleeper** place = &first;
    while (*place != &sleeper) place = &(*place)->next;
    *place = sleeper.next;
  }
};

// Never destroyed: helpers sleep while the process ends. A forked child has sleepers of its own: it has none of its
// parent's other threads, not even to release a lock.
Sleepers& all_sleepers() {
  alignas(Sleepers) static unsigned char storage[sizeof(Sleepers)];
  static ShortLock lock;
  static std::atomic<int32_t> owner{0};
  const int32_t process = process_number();
  if (owner.load(std::memory_order_acquire) != process) {
    std::lock_guard<ShortLock> guard(lock);
    if (owner.load(std::memory_order_relaxed) != process) {
      new (storage) Sleepers;
      owner.store(process, std::memory_order_release);
    }
  }
  return *std::launder(reinterpret_cast<Sleepers*>(storage));
}

template <typename Sleep>
void sleep_on(const std::atomic<uint32_t>& word, uint32_t seen, Sleep&& sleep) {
  Sleepers& all = all_sleepers();
  std::unique_lock<std::mutex> lock(all.mutex);
  if (word.load() != seen) return;
  Sleeper self;
  self.word = &word;
  self.next = all.first;
  all.first = &self;
  sleep(self, lock);
  if (!self.awake) all.remove(self);
}

}  // namespace

void futex_wait(const std::atomic<uint32_t>& word, uint32_t seen) {
  sleep_on(word, seen, [](Sleeper& self, std::unique_lock<std::mutex>& lock) { self.woken.wait(lock); });
}

void futex_wait_for(const std::atomic<uint32_t>& word, uint32_t seen, int64_t nanoseconds) {
  sleep_on(word, seen, [&](Sleeper& self, std::unique_lock<std::mutex>& lock) {
    self.woken.wait_for(lock, std::chrono::nanoseconds(nanoseconds));
  });
}

void futex_wake(const std::atomic<uint32_t>& word, int threads) {
  Sleepers& all = all_sleepers();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (Sleeper** place = &all.first; *place != nullptr && threads > 0;) {
    Sleeper& sleeper = **place;
    if (sleeper.word != &word) {
      place = &sleeper.next;
      continue;
    }
    *place = sleeper.next;
    sleeper.awake = true;
    sleeper.woken.notify_one();  // with the lock held: without it the sleeper may be gone
    --threads;
  }
}

}  // namespace lffn
