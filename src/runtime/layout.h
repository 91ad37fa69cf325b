// SPDX-License-Identifier: Apache-2.0
// How the parts of a block of memory lie: arithmetic only.
#pragma once

#include <cstddef>
#include <type_traits>

namespace lffn {

constexpr size_t kCacheLine = 64;

// The multiple of `unit` that is n or follows it. Always inline, as are all functions that kernels share with others:
// what one instruction set was compiled for must not serve another.
template <typename Number>
__attribute__((always_inline)) constexpr Number round_up(Number n, std::common_type_t<Number> unit) {
  return (n + unit - 1) / unit * unit;
}

// Where so many bytes begin in a block of memory that ends at `end` so far, which moves behind them.
__attribute__((always_inline)) inline size_t place(size_t& end, size_t bytes) {
  const size_t at = end;
  end += round_up(bytes, kCacheLine);
  return at;
}

}  // namespace lffn
