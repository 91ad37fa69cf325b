// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory.h"

#include <cstdint>
#include <mutex>
#include <new>

#include "runtime/error.h"
#include "runtime/hooks.h"
#include "runtime/short_lock.h"
#include "runtime/system.h"

namespace lffn {
namespace {

void* own_allocate(size_t size, size_t alignment, void*) { return allocate_aligned(size, alignment); }
void own_deallocate(void* memory, size_t, void*) { free_aligned(memory); }

constexpr lffn_allocator kOwn = {sizeof(lffn_allocator), own_allocate, own_deallocate, nullptr};
ShortLock allocator_lock;
lffn_allocator chosen = kOwn;

}  // namespace

void check_allocator(const lffn_allocator& allocator) {
  if (allocator.allocate == nullptr || allocator.deallocate == nullptr) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "allocator: allocate and deallocate must be set");
  }
}

void set_allocator(const lffn_allocator* allocator) {
  if (allocator != nullptr) check_allocator(*allocator);
  std::lock_guard<ShortLock> lock(allocator_lock);
  chosen = allocator != nullptr ? *allocator : kOwn;
}

Memory::Memory(size_t size) : size_(size) {
  if (size == 0) return;
  const Hooks* const hooks = UseHooks::current();
  if (hooks != nullptr && hooks->allocator.allocate != nullptr) {
    allocator_ = hooks->allocator;
  } else {
    std::lock_guard<ShortLock> lock(allocator_lock);
    allocator_ = chosen;
  }
  data_ = allocator_.allocate(size, size >= kHugePage ? kHugePage : kCacheLine, allocator_.user);
  if (data_ == nullptr) throw std::bad_alloc();
}

Memory::~Memory() {
  if (data_ != nullptr) allocator_.deallocate(data_, size_, allocator_.user);
}

size_t checked_product(size_t a, size_t b) {
  size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > PTRDIFF_MAX) throw std::bad_alloc();
  return product;
}

}  // namespace lffn
