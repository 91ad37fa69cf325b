// SPDX-License-Identifier: Apache-2.0
// Loops whose index is a constant in every turn, so that an array indexed by it can live in registers.
#pragma once

#include <utility>

namespace lffn {
namespace {

#define LFFN_INLINE __attribute__((always_inline))

template <int kValue>
struct Constant {
  static constexpr int value = kValue;
  constexpr operator int() const { return kValue; }  // NOLINT(google-explicit-constructor): it is an index
};

template <int... kIndices, typename Body>
LFFN_INLINE inline void unroll_over(std::integer_sequence<int, kIndices...>, Body&& body) {
  (body(kIndices), ...);
}

// body(0), body(1), ... body(kCount - 1), where the body is a function that is always inlined: one for all turns, which
// takes far less time to compile than one for each.
template <int kCount, typename Body>
LFFN_INLINE inline void unroll(Body&& body) {
  unroll_over(std::make_integer_sequence<int, kCount>(), body);
}

template <int... kIndices, typename Body>
LFFN_INLINE inline void unroll_constants_over(std::integer_sequence<int, kIndices...>, Body&& body) {
  (body(Constant<kIndices>()), ...);
}

// The same, for a body that needs the type of its index: Constant<0>, Constant<1>, ...
template <int kCount, typename Body>
LFFN_INLINE inline void unroll_constants(Body&& body) {
  unroll_constants_over(std::make_integer_sequence<int, kCount>(), body);
}

}  // namespace
}  // namespace lffn
