// SPDX-License-Identifier: Apache-2.0
#include "tests/growth/counted_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "lookupffn/lookupffn.h"
#include "tests/support/allocator.h"

namespace {

std::atomic<size_t> live_bytes{0}, peak_bytes{0}, all_bytes{0};
std::atomic<void (*)(size_t, void*)> hook{nullptr};
std::atomic<void*> hook_user{nullptr};
std::atomic<size_t> allocations{0};

void add(size_t size) {
  if (auto* const call = hook.load()) call(allocations++, hook_user);
  all_bytes += size;
  const size_t now = live_bytes += size;
  size_t most = peak_bytes;
  while (now > most && !peak_bytes.compare_exchange_weak(most, now)) {
  }
}

// A block's size stands before it.
void* allocate(size_t size, size_t alignment) {
  alignment = std::max(alignment, alignof(std::max_align_t));
  if (size > SIZE_MAX - 2 * alignment) return nullptr;
  void* const block = std::aligned_alloc(alignment, (size + 2 * alignment - 1) / alignment * alignment);
  if (block == nullptr) return nullptr;
  add(size);
  char* const memory = static_cast<char*>(block) + alignment;
  *reinterpret_cast<size_t*>(memory - sizeof(size_t)) = size;
  return memory;
}

void deallocate(void* memory, size_t alignment) {
  if (memory == nullptr) return;
  alignment = std::max(alignment, alignof(std::max_align_t));
  live_bytes -= *reinterpret_cast<size_t*>(static_cast<char*>(memory) - sizeof(size_t));
  std::free(static_cast<char*>(memory) - alignment);
}

void* allocate_or_throw(size_t size, size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr size_t kUsual = alignof(std::max_align_t);

}  // namespace

void* operator new(size_t size) { return allocate_or_throw(size, kUsual); }
void* operator new[](size_t size) { return allocate_or_throw(size, kUsual); }
void* operator new(size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<size_t>(to)); }
void* operator new[](size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<size_t>(to)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size, kUsual); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size, kUsual); }
void operator delete(void* memory) noexcept { deallocate(memory, kUsual); }
void operator delete[](void* memory) noexcept { deallocate(memory, kUsual); }
void operator delete(void* memory, size_t) noexcept { deallocate(memory, kUsual); }
void operator delete[](void* memory, size_t) noexcept { deallocate(memory, kUsual); }
void operator delete(void* memory, std::align_val_t to) noexcept { deallocate(memory, static_cast<size_t>(to)); }
void operator delete[](void* memory, std::align_val_t to) noexcept { deallocate(memory, static_cast<size_t>(to)); }
void operator delete(void* memory, size_t, std::align_val_t to) noexcept {
  deallocate(memory, static_cast<size_t>(to));
}
void operator delete[](void* memory, size_t, std::align_val_t to) noexcept {
  deallocate(memory, static_cast<size_t>(to));
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { deallocate(memory, kUsual); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { deallocate(memory, kUsual); }

namespace counted_memory {

size_t live() { return live_bytes; }
size_t peak() { return peak_bytes; }
size_t handed_out() { return all_bytes; }
void reset_peak() { peak_bytes = live_bytes.load(); }

void count_blocks() {
  const lffn_allocator allocator = allocator_of(
      [](size_t size, size_t alignment, void*) -> void* {
        void* const block = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
        if (block != nullptr) add(size);
        return block;
      },
      [](void* memory, size_t size, void*) {
        live_bytes -= size;
        std::free(memory);
      });
  if (lffn_set_default_allocator(&allocator) != LFFN_OK) std::abort();
}

void on_allocation(void (*call)(size_t, void*), void* user) {
  hook = nullptr;
  allocations = 0;
  hook_user = user;
  hook = call;
}

}  // namespace counted_memory
