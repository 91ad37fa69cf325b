// SPDX-License-Identifier: Apache-2.0
#include "runtime/idle_pool.h"

#include <mutex>

#include "runtime/short_lock.h"

namespace lffn {
namespace {

// Each change of the list is one store, so that a child forked in the middle of it finds an intact list.
ShortLock lock;
std::atomic<AnyIdlePool*> first{nullptr};
std::atomic<uint32_t> trims_asked_for{0};

}  // namespace

void AnyIdlePool::enter_list() {
  std::lock_guard<ShortLock> guard(lock);
  next_.store(first.load());
  first.store(this);
}

void AnyIdlePool::leave_list() {
  std::lock_guard<ShortLock> guard(lock);
  std::atomic<AnyIdlePool*>* place = &first;
  while (place->load() != this) place = &place->load()->next_;
  place->store(next_.load());
}

size_t AnyIdlePool::take_from_all(Taken* taken, size_t most) {
  std::lock_guard<ShortLock> guard(lock);
  size_t count = 0;
  for (AnyIdlePool* pool = first.load(); pool != nullptr; pool = pool->next_.load()) {
    while (count < most && (taken[count] = pool->take_any()).thing != nullptr) ++count;
  }
  return count;
}

uint32_t AnyIdlePool::trims() { return trims_asked_for.load(std::memory_order_relaxed); }

void AnyIdlePool::trim_all() {
  trims_asked_for.fetch_add(1, std::memory_order_relaxed);
  // Limited, because other threads may keep filling the pools. Objects are freed without the lock, because a host's
  // allocator may call the library.
  constexpr size_t kMost = 1 << 16, kAtOnce = 512;
  Taken taken[kAtOnce];
  for (size_t freed = 0; freed < kMost;) {
    const size_t count = take_from_all(taken, kAtOnce);
    for (size_t i = 0; i < count; ++i) taken[i].destroy(taken[i].thing);
    if (count < kAtOnce) return;
    freed += count;
  }
}

}  // namespace lffn
