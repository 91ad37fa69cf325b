// Products of matrices whose rows are tokens or weights, for training.
#pragma once

#include "kernels/product.h"
#include "kernels/simd.h"
#include "kernels/train_kernels.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

constexpr int kPanelVectors = static_cast<int>(kPanel) / kLanes;
// As many rows as leave registers for a row of b and one number of a.
constexpr int kProductRows = kRegisters == 32 ? (kPanelVectors == 1 ? 12 : 6) : (kPanelVectors == 2 ? 6 : 2);

// kRows rows of one panel of c, all sums in registers.
template <int kRows>
inline void train_product_piece(const TrainProduct& p, const float* a, const float* b, float* c) {
  F32 sums[kRows][kPanelVectors];
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kPanelVectors>(
        [&](auto v) LFFN_INLINE { sums[r][v] = p.add ? F32::load(c + r * p.c_row + v * kLanes) : F32::set1(0); });
  });
  for (int64_t k = 0; k < p.depth; ++k, a += p.a_step, b += p.b_row) {
    F32 row[kPanelVectors];
    unroll<kPanelVectors>([&](auto v) LFFN_INLINE { row[v] = F32::load(b + v * kLanes); });
    unroll<kRows>([&](auto r) LFFN_INLINE {
      const F32 factor = F32::set1(a[r * p.a_row]);
      unroll<kPanelVectors>([&](auto v) LFFN_INLINE { sums[r][v] = fma(factor, row[v], sums[r][v]); });
    });
  }
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kPanelVectors>([&](auto v) LFFN_INLINE { sums[r][v].store(c + r * p.c_row + v * kLanes); });
  });
}

template <int kRows>
inline int64_t train_product_rows(const TrainProduct& p, const float* b, float* c, int64_t row) {
  for (; row + kRows <= p.rows; row += kRows) {
    train_product_piece<kRows>(p, p.a + row * p.a_row, b, c + row * p.c_row);
  }
  return row;
}

void train_product(const TrainProduct& p) {
  for (int64_t panel = 0; panel < p.columns / kPanel; ++panel) {
    const float* b = p.b + panel * p.b_panel;
    float* c = p.c + panel * kPanel;
    int64_t row = train_product_rows<kProductRows>(p, b, c, 0);
    if constexpr (kProductRows > 4) row = train_product_rows<4>(p, b, c, row);
    if constexpr (kProductRows > 2) row = train_product_rows<2>(p, b, c, row);
    train_product_rows<1>(p, b, c, row);
  }
}

}  // namespace
}  // namespace lffn
