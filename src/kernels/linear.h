// Products of many rows with a matrix in panels. The outputs lie in the lanes, so that rows come in and go out as they
// are, one row or thousands. Each output is summed over the inputs in order, one FMA each, from zero.
#pragma once

#include "kernels/activation.h"
#include "kernels/kernels.h"
#include "kernels/product.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

constexpr int kPanelVectors = static_cast<int>(kPanel) / kLanes;
// Vectors of sums that stay in registers, beside the weights and an input.
constexpr int kSumVectors = kRegisters == 32 ? 24 : kPanelVectors == 2 ? 12 : 8;
// Panels side by side where there are many rows.
constexpr int kUsualPanels = kPanelVectors == 1 ? 2 : 1;
// Inputs of a panel that stay in the L1 cache while the rows pass by.
constexpr int64_t kDepth = 256 / kUsualPanels;

// Rows at once for so many panels.
constexpr int rows_at_once(int panels) {
  const int rows = kSumVectors / (panels * kPanelVectors);
  return rows < 1 ? 1 : rows > 12 ? 12 : rows;
}

// sums[kRows][kPanels * kPanel] (+)= in[kRows][inputs] * weights
template <int kRows, int kPanels>
inline void linear_piece(const float* in, int64_t in_stride, int64_t inputs, const float* weights, int64_t panel_stride,
                         bool first, float* sums, int64_t sums_stride) {
  F32 running[kRows][kPanels * kPanelVectors];
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kPanels * kPanelVectors>([&](auto v) LFFN_INLINE {
      running[r][v] = first ? F32::set1(0) : F32::load(sums + r * sums_stride + v * kLanes);
    });
  });
  const float* rows[kRows];
  unroll<kRows>([&](auto r) LFFN_INLINE { rows[r] = in + r * in_stride; });
  for (int64_t i = 0; i < inputs; ++i) {
    F32 outputs[kPanels * kPanelVectors];
    unroll<kPanels * kPanelVectors>([&](auto v) LFFN_INLINE {
      constexpr int kPanelIndex = decltype(v)::value / kPanelVectors, kWithin = decltype(v)::value % kPanelVectors;
      outputs[v] = F32::load(weights + kPanelIndex * panel_stride + i * kPanel + kWithin * kLanes);
    });
    unroll<kRows>([&](auto r) LFFN_INLINE {
      const F32 input = F32::set1(rows[r][i]);
      unroll<kPanels * kPanelVectors>([&](auto v)
                                          LFFN_INLINE { running[r][v] = fma(outputs[v], input, running[r][v]); });
    });
  }
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kPanels * kPanelVectors>([&](auto v)
                                        LFFN_INLINE { running[r][v].store(sums + r * sums_stride + v * kLanes); });
  });
}

// The same for fewer rows than are usual, down to one.
template <int kMost, int kPanels>
inline void linear_rest(int64_t rows, const float* in, int64_t in_stride, int64_t inputs, const float* weights,
                        int64_t panel_stride, bool first, float* sums, int64_t sums_stride) {
  if constexpr (kMost > 0) {
    if (rows == kMost) {
      return linear_piece<kMost, kPanels>(in, in_stride, inputs, weights, panel_stride, first, sums, sums_stride);
    }
    linear_rest<kMost - 1, kPanels>(rows, in, in_stride, inputs, weights, panel_stride, first, sums, sums_stride);
  }
}

// sums[rows][kPanels * kPanel] (+)= in[rows][inputs] * weights
template <int kPanels>
void linear_rows(const float* in, int64_t in_stride, int64_t rows, int64_t inputs, const float* weights,
                 int64_t panel_stride, bool first, float* sums, int64_t sums_stride) {
  constexpr int kRows = rows_at_once(kPanels);
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) {
    linear_piece<kRows, kPanels>(in + r * in_stride, in_stride, inputs, weights, panel_stride, first,
                                 sums + r * sums_stride, sums_stride);
  }
  linear_rest<kRows - 1, kPanels>(rows - r, in + r * in_stride, in_stride, inputs, weights, panel_stride, first,
                                  sums + r * sums_stride, sums_stride);
}

// Brings sums[rows][columns] to out through bias and function.
template <typename Function>
inline void finish_linear(const LinearPlan& plan, int64_t first_row, int64_t rows, int64_t first_column,
                          int64_t columns, const float* sums, int64_t sums_stride, Function&& function) {
  if (columns > plan.outputs - first_column) columns = plan.outputs - first_column;
  for (int64_t r = 0; r < rows; ++r, sums += sums_stride) {
    float* out = plan.out + (first_row + r) * plan.out_stride + first_column;
    for (int64_t c = 0; c < columns; c += kLanes) {
      const F32 value = function(F32::load(sums + c) + F32::load(plan.bias + first_column + c));
      if (c + kLanes <= columns) {
        (plan.add ? F32::load(out + c) + value : value).store(out + c);
        continue;
      }
      float last[kLanes];
      value.store(last);
      for (int64_t i = c; i < columns; ++i) out[i] = plan.add ? out[i] + last[i - c] : last[i - c];
    }
  }
}

// `kPanels` panels from output `first_column` on, for up to kLinearRows rows.
template <int kPanels>
inline void linear_panels(const LinearPlan& plan, int64_t first_row, int64_t rows, int64_t first_column) {
  constexpr int64_t kColumns = kPanels * kPanel;
  alignas(64) float sums[kLinearRows * (kPanels > kUsualPanels ? kUsualPanels : kPanels) * kPanel];
  const float* in = plan.in + first_row * plan.in_stride;
  const float* weights = plan.weights + first_column * plan.inputs;
  for (int64_t i = 0; i < plan.inputs; i += kDepth) {
    const int64_t depth = plan.inputs - i < kDepth ? plan.inputs - i : kDepth;
    linear_rows<kPanels>(in + i, plan.in_stride, rows, depth, weights + i * kPanel, plan.inputs * kPanel, i == 0, sums,
                         kColumns);
  }
  const auto finish = [&](auto&& function) LFFN_INLINE {
    finish_linear(plan, first_row, rows, first_column, kColumns, sums, kColumns, function);
  };
  switch (plan.activation) {
    case Activation::kGelu:
      return finish([](F32 x) { return gelu(x); });
    case Activation::kTanh:
      return finish([](F32 x) { return tanh(x); });
    default:
      return finish([](F32 x) { return x; });
  }
}

// All panels, `kPanels` at once as far as they go.
template <int kPanels>
inline void linear_block(const LinearPlan& plan, int64_t first_row, int64_t rows) {
  int64_t column = 0;
  for (; column + (kPanels - 1) * kPanel < plan.outputs; column += kPanels * kPanel) {
    linear_panels<kPanels>(plan, first_row, rows, column);
  }
  for (; column < plan.outputs; column += kPanel) linear_panels<1>(plan, first_row, rows, column);
}

inline void linear(const LinearPlan& plan) {
  for (int64_t r = 0; r < plan.rows; r += kLinearRows) {
    const int64_t rows = plan.rows - r < kLinearRows ? plan.rows - r : kLinearRows;
    // Few rows leave registers for more panels, which hides the latency of the sums.
    if (rows <= rows_at_once(4 * kUsualPanels)) {
      linear_block<4 * kUsualPanels>(plan, r, rows);
    } else if (rows <= rows_at_once(2 * kUsualPanels)) {
      linear_block<2 * kUsualPanels>(plan, r, rows);
    } else {
      linear_block<kUsualPanels>(plan, r, rows);
    }
  }
}

}  // namespace
}  // namespace lffn
