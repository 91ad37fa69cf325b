// SPDX-License-Identifier: Apache-2.0
// The step that all products repeat, of floats and of whole numbers, for running a layer and for training it.
#pragma once

#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kRegisters = 32;
#else
constexpr int kRegisters = 16;
#endif

// What one step multiplies. A vector that was loaded may hold several parts, each of which meets a factor of its own.
struct FloatProduct {
  static constexpr int kAllFrom = 1 << 30;   // so many rows or more take all cells at once
  static constexpr bool kInTwos = false;     // whether cells meet the rows in twos
  static constexpr bool kHasList = false;    // whether rows have cells that meet the weights once more
  static constexpr bool kSideBySide = true;  // whether few rows take several panels at once
  static constexpr int kMostRows = 12;       // at once
  static constexpr int kParts = 1;
  static constexpr bool kWidens = false;  // whether the parts are taken apart beforehand for many rows
  using Number = float;
  using Weight = float;
  using Weights = const Weight*;
  using Vector = F32;
  static F32 load(const float* weights) { return F32::load(weights); }
  template <int kPart>
  static F32 part(F32 loaded) {
    return loaded;
  }
  static F32 multiply(F32 vector, F32 factor, F32 sums) { return fma(vector, factor, sums); }
};

// Cells of four bytes, where the factors are the raised ones, or of two int16.
template <bool kBytes>
struct IntegerProduct {
  static constexpr int kAllFrom = 1 << 30;
  static constexpr bool kInTwos = false;
  static constexpr bool kHasList = false;
  static constexpr bool kSideBySide = true;
  static constexpr int kMostRows = 12;
  static constexpr int kParts = 1;
  static constexpr bool kWidens = false;
  using Number = int32_t;
  using Weight = int32_t;
  using Weights = const Weight*;
  using Vector = I32;
  static I32 load(const int32_t* weights) { return I32::load(weights); }
  template <int kPart>
  static I32 part(I32 loaded) {
    return loaded;
  }
  static I32 multiply(I32 vector, I32 factor, I32 sums) {
    if constexpr (kBytes) return dot_raised(sums, factor, vector);
    return dot_pairs(sums, vector, factor);
  }
};

// sums[r][v] += the products of vector(v) and factor(r, part), all of them vectors. All sums stay in registers.
template <typename Product, int kRows, int kVectors, typename Vector, typename Load, typename Factor>
LFFN_INLINE inline void add_products(Vector (&sums)[kRows][kVectors], Load&& vector, Factor&& factor) {
  if constexpr (kRows == 1) {
    // Each vector meets one row only, so none of them has to wait in a register.
    Vector shared[Product::kParts];
    unroll<Product::kParts>([&](auto part) LFFN_INLINE { shared[part] = factor(0, part); });
    unroll_constants<kVectors>([&](auto v) LFFN_INLINE {
      const Vector loaded = vector(v);
      unroll_constants<Product::kParts>([&](auto part) LFFN_INLINE {
        const Vector mine = Product::template part<decltype(part)::value>(loaded);
        sums[0][v] = Product::multiply(mine, shared[part], sums[0][v]);
      });
    });
    return;
  }
  Vector loaded[kVectors];
  unroll_constants<kVectors>([&](auto v) LFFN_INLINE { loaded[v] = vector(v); });
  unroll_constants<Product::kParts>([&](auto part) LFFN_INLINE {
    Vector parts[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE { parts[v] = Product::template part<decltype(part)::value>(loaded[v]); });
    unroll<kRows>([&](auto r) LFFN_INLINE {
      const Vector shared = factor(r, part);
      unroll<kVectors>([&](auto v) LFFN_INLINE { sums[r][v] = Product::multiply(parts[v], shared, sums[r][v]); });
    });
  });
}

}  // namespace
}  // namespace lffn
