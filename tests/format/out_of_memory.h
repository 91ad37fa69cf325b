// SPDX-License-Identifier: Apache-2.0
// Memory that runs out after a given number of allocations. To be included by one source of a program, as it replaces
// operator new.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"

namespace {

std::atomic<int64_t> live_blocks{0};    // of operator new and of the library's allocator
std::atomic<int64_t> live_bytes{0};     // of the library's allocator, which is told the sizes
thread_local int64_t left = INT64_MAX;  // allocations of this thread that still succeed
thread_local int64_t refused = 0;

bool may_allocate() {
  if (left == INT64_MAX) return true;
  if (left > 0) {
    --left;
    return true;
  }
  ++refused;
  return false;
}

void* counted_new(size_t size, size_t alignment) {
  if (!may_allocate()) return nullptr;
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory != nullptr) ++live_blocks;
  return memory;
}

void counted_delete(void* memory) {
  if (memory != nullptr) --live_blocks;
  std::free(memory);
}

void* new_or_throw(size_t size, size_t alignment) {
  void* memory = counted_new(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr size_t kUsual = alignof(std::max_align_t);

}  // namespace

void* operator new(size_t size) { return new_or_throw(size, kUsual); }
void* operator new[](size_t size) { return new_or_throw(size, kUsual); }
void* operator new(size_t size, std::align_val_t to) { return new_or_throw(size, static_cast<size_t>(to)); }
void* operator new[](size_t size, std::align_val_t to) { return new_or_throw(size, static_cast<size_t>(to)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return counted_new(size, kUsual); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return counted_new(size, kUsual); }
void operator delete(void* memory) noexcept { counted_delete(memory); }
void operator delete[](void* memory) noexcept { counted_delete(memory); }
void operator delete(void* memory, size_t) noexcept { counted_delete(memory); }
void operator delete[](void* memory, size_t) noexcept { counted_delete(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { counted_delete(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { counted_delete(memory); }

namespace lffn {
namespace {

[[maybe_unused]] void* hook_allocate(size_t size, size_t alignment, void*) {
  if (!may_allocate()) return nullptr;
  ++live_blocks;
  live_bytes += static_cast<int64_t>(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

[[maybe_unused]] void hook_deallocate(void* memory, size_t size, void*) {
  --live_blocks;
  live_bytes -= static_cast<int64_t>(size);
  std::free(memory);
}

struct Balance {
  int64_t blocks = live_blocks;
  int64_t bytes = live_bytes;
  int64_t handles = lffn_live_handles();
  bool operator==(const Balance& other) const {
    return blocks == other.blocks && bytes == other.bytes && handles == other.handles;
  }
};

// The first call of a process asks OpenMP for its places. LLVM's waits for itself forever once memory fails it there.
[[maybe_unused]] void start_openmp() {
  lffn_load_options options;
  lffn_load_options_init(&options);
  lffn_layer* none = nullptr;
  EXPECT_NE(lffn_layer_load("", &options, &none), LFFN_OK);
}

// Under a sanitizer, where each takes long, some of many are enough; LFFN_TEST_ALL takes all.
#if defined(LFFN_TEST_SOME)
constexpr int kFirst = 60, kStep = 7;
#else
constexpr int kFirst = 0, kStep = 1;
#endif

// Runs the action with 0, 1, 2, ... allocations that succeed, until it needs no more than that. After each failure, and
// after undo, all must be as before; unchanged() may look at more. Returns how many allocations are enough.
[[maybe_unused]] int survive(
    const std::function<lffn_status()>& action, const std::function<void()>& undo,
    const std::function<void()>& unchanged = [] {}) {
  start_openmp();
  for (int allowed = 0; allowed < 100000; allowed += allowed < kFirst ? 1 : kStep) {
    const Balance before;
    left = allowed;
    refused = 0;
    const lffn_status status = action();
    left = INT64_MAX;
    if (status == LFFN_OK) {
      EXPECT_EQ(refused, 0) << "an allocation failed unnoticed, after " << allowed;
      undo();
      EXPECT_TRUE(before == Balance()) << "something is left after success";
      return allowed;
    }
    const Balance after;
    EXPECT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error() << ", after " << allowed << " allocations";
    EXPECT_STRNE(lffn_last_error(), "");
    EXPECT_EQ(before.blocks, after.blocks) << "after " << allowed << " allocations";
    EXPECT_EQ(before.bytes, after.bytes);
    EXPECT_EQ(before.handles, after.handles);
    unchanged();
    if (testing::Test::HasFailure()) return allowed;
  }
  ADD_FAILURE() << "never succeeds";
  return 0;
}

}  // namespace
}  // namespace lffn
