// SPDX-License-Identifier: Apache-2.0
// Aligned memory for weights and scratch, from the host's allocator if it set one.
#pragma once

#include <cstddef>
#include <utility>

#include "lookupffn/runtime.h"
#include "runtime/layout.h"

namespace lffn {

// Throws Error for an incomplete allocator.
void check_allocator(const lffn_allocator& allocator);

// NULL restores the library's own. Throws Error for an incomplete allocator.
void set_allocator(const lffn_allocator* allocator);

// A block of memory, aligned to a cache line, or to a huge page where it is large enough to profit. Not initialised.
class Memory {
 public:
  Memory() = default;
  explicit Memory(size_t size);  // throws std::bad_alloc
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Memory();

  void* data() const { return data_; }
  size_t size() const { return size_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void swap(Memory& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(allocator_, other.allocator_);
  }

  void* data_ = nullptr;
  size_t size_ = 0;
  lffn_allocator allocator_ = {};
};

// a * b, or std::bad_alloc where that overflows: no memory can hold it.
size_t checked_product(size_t a, size_t b);

}  // namespace lffn
