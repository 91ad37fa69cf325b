// SPDX-License-Identifier: Apache-2.0
// Products with a matrix stored in panels: many tokens side by side, or one token with the outputs side by side. Both
// sum over the inputs in order, one FMA each, from zero.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/micro_kernel.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

constexpr int kPanelVectors = static_cast<int>(kPanel) / kLanes;

// What the products of floats are made of, all sums in registers: c[r][p][v] = or += the sum over k of a(r, k) * b(p,
// k)[v], where a(r, k) = a[r * a_row + k * a_step] and the kVectors vectors b(p, k) begin at b + p * b_panel + k *
// b_row.
template <int kRows, int kPanels, int kVectors>
LFFN_INLINE inline void product_piece(int64_t depth, const float* a, int64_t a_row, int64_t a_step, const float* b,
                                      int64_t b_row, int64_t b_panel, bool add, float* c, int64_t c_row) {
  constexpr int kAll = kPanels * kVectors;
  F32 sums[kRows][kAll];
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kAll>([&](auto v) LFFN_INLINE { sums[r][v] = add ? F32::load(c + r * c_row + v * kLanes) : F32::set1(0); });
  });
  for (int64_t k = 0; k < depth; ++k, a += a_step, b += b_row) {
    const auto vector = [&](auto v) LFFN_INLINE {
      constexpr int kIndex = decltype(v)::value / kVectors, kWithin = decltype(v)::value % kVectors;
      return F32::load(b + kIndex * b_panel + kWithin * kLanes);
    };
    add_products<FloatProduct>(sums, vector, [&](auto r, int) LFFN_INLINE { return F32::set1(a[r * a_row]); });
  }
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kAll>([&](auto v) LFFN_INLINE { sums[r][v].store(c + r * c_row + v * kLanes); });
  });
}

// As many outputs at once as keep the multipliers busy within the registers there are.
constexpr int outputs_at_once(int vectors) {
  return kRegisters == 32 ? (vectors >= 4 ? 4 : 8) : (vectors == 1 ? 8 : vectors == 4 ? 2 : 4);
}

// out[outputs][tokens] = weights * in[inputs][tokens]; outputs is a multiple of the panel.
template <int kVectors>
void product_tile(const float* weights, int64_t panel, const float* in, int64_t inputs, int64_t outputs, float* out) {
  constexpr int64_t kTokens = kVectors * kLanes;
  constexpr int kOutputs = outputs_at_once(kVectors);
  const auto piece = [&](auto outputs_now, int64_t p, int64_t o) LFFN_INLINE {
    product_piece<decltype(outputs_now)::value, 1, kVectors>(inputs, weights + o, 1, panel, in, kTokens, 0, false,
                                                             out + (p + o) * kTokens, kTokens);
  };
  for (int64_t p = 0; p < outputs; p += panel, weights += inputs * panel) {
    if (panel >= kOutputs) {
      for (int64_t o = 0; o < panel; o += kOutputs) piece(Constant<kOutputs>(), p, o);
    } else {
      for (int64_t o = 0; o < panel; ++o) piece(Constant<1>(), p, o);
    }
  }
}

inline void product_token(const float* weights, int64_t panel, const float* in, int64_t inputs, int64_t outputs,
                          float* out) {
  int64_t p = 0;
  const auto full_panels = [&](auto panels) LFFN_INLINE {
    constexpr int kPanels = decltype(panels)::value;
    for (; p + kPanels * kPanel <= outputs; p += kPanels * kPanel) {
      product_piece<1, kPanels, kPanelVectors>(inputs, in, 0, 1, weights + p * inputs, kPanel, inputs * kPanel, false,
                                               out + p, 0);
    }
  };
  if (panel == kPanel) {
    full_panels(Constant<4>());
    full_panels(Constant<1>());
  }
  for (; p < outputs; p += panel) {
    for (int64_t o = 0; o < panel; ++o) {
      float sum = 0;
      for (int64_t i = 0; i < inputs; ++i) sum = fma1(weights[p * inputs + i * panel + o], in[i], sum);
      out[p + o] = sum;
    }
  }
}

}  // namespace
}  // namespace lffn
