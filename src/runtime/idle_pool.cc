// SPDX-License-Identifier: Apache-2.0
#include "runtime/idle_pool.h"

#include <mutex>

#include "runtime/short_lock.h"

namespace lffn {
namespace {

// Each change of the list is one store, so that a child forked amid it finds a whole list.
ShortLock lock;
std::atomic<AnyIdlePool*> first{nullptr};

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

AnyIdlePool::Taken AnyIdlePool::take_from_all() {
  std::lock_guard<ShortLock> guard(lock);
  for (AnyIdlePool* pool = first.load(); pool != nullptr; pool = pool->next_.load()) {
    const Taken taken = pool->take_any();
    if (taken.thing != nullptr) return taken;
  }
  return {};
}

void AnyIdlePool::trim_all() {
  // Not for ever, where other threads keep filling them. Freed without the lock: a host's allocator may call us.
  constexpr int kMost = 1 << 16;
  for (int i = 0; i < kMost; ++i) {
    const Taken taken = take_from_all();
    if (taken.thing == nullptr) return;
    taken.destroy(taken.thing);
  }
}

}  // namespace lffn
