// SPDX-License-Identifier: Apache-2.0
// How the parts of a block of memory lie: arithmetic only, and the borders between them for AddressSanitizer.
#pragma once

#include <cstddef>
#include <type_traits>

#if defined(__SANITIZE_ADDRESS__)
#define LFFN_BORDERS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LFFN_BORDERS
#endif
#endif
#ifdef LFFN_BORDERS
#include <sanitizer/asan_interface.h>
#endif

namespace lffn {

constexpr size_t kCacheLine = 64;

// Bytes behind each part that nothing may touch.
#ifdef LFFN_BORDERS
constexpr size_t kBorder = kCacheLine;
#else
constexpr size_t kBorder = 0;
#endif

// The smallest multiple of `unit` that is at least n. Always inline, as are all functions that kernels share with other
// code: a copy that was compiled for one instruction set must not serve another.
template <typename Number>
__attribute__((always_inline)) constexpr Number round_up(Number n, std::common_type_t<Number> unit) {
  return (n + unit - 1) / unit * unit;
}

// The bytes from one part of so many bytes to the next.
__attribute__((always_inline)) constexpr size_t part_stride(size_t bytes) {
  return round_up(bytes, kCacheLine) + kBorder;
}

// Appends so many bytes to a block of memory that ends at `end` so far, and moves `end` behind them. Returns where they
// begin.
__attribute__((always_inline)) inline size_t place(size_t& end, size_t bytes) {
  const size_t at = end;
  end += part_stride(bytes);
  return at;
}

// close_bytes: nothing may touch these bytes from now on. open_bytes: they may be touched again.
__attribute__((always_inline)) inline void close_bytes([[maybe_unused]] const void* memory,
                                                       [[maybe_unused]] size_t bytes) {
#ifdef LFFN_BORDERS
  __asan_poison_memory_region(memory, bytes);
#endif
}
__attribute__((always_inline)) inline void open_bytes([[maybe_unused]] const void* memory,
                                                      [[maybe_unused]] size_t bytes) {
#ifdef LFFN_BORDERS
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

}  // namespace lffn
