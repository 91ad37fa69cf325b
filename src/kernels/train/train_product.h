// SPDX-License-Identifier: Apache-2.0
// Products of matrices whose rows are tokens or weights, for training.
#pragma once

#include "kernels/linear/product.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"
#include "kernels/train/train_kernels.h"

namespace lffn {
namespace {

// As many rows as leave registers for a row of b and one number of a.
constexpr int kProductRows = kRegisters == 32 ? (kPanelVectors == 1 ? 12 : 6) : (kPanelVectors == 2 ? 6 : 2);

template <int kRows>
inline int64_t train_product_rows(const TrainProduct& p, const float* b, float* c, int64_t row) {
  for (; row + kRows <= p.rows; row += kRows) {
    product_piece<kRows, 1, kPanelVectors>(p.depth, p.a + row * p.a_row, p.a_row, p.a_step, b, p.b_row, 0, p.add,
                                           c + row * p.c_row, p.c_row);
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
