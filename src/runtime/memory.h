// Aligned memory for weights and scratch, from the host's allocator if it set one.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "lookupffn/lookupffn.h"

namespace lffn {

constexpr size_t kCacheLine = 64;

// Throws Error for an incomplete one.
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

// The multiple of `unit` that is n or follows it.
template <typename Number>
constexpr Number round_up(Number n, std::common_type_t<Number> unit) {
  return (n + unit - 1) / unit * unit;
}

// Where so many bytes begin in a block of memory that ends at `end` so far, which moves behind them.
inline size_t place(size_t& end, size_t bytes) {
  const size_t at = end;
  end += round_up(bytes, kCacheLine);
  return at;
}

// a * b, or std::bad_alloc where that overflows: no memory can hold it.
size_t checked_product(size_t a, size_t b);

}  // namespace lffn
