// SPDX-License-Identifier: Apache-2.0
// Products of many rows with a matrix in panels. The outputs lie in the lanes, so that rows come in and go out as they
// are, one row or thousands. Each output is summed over the inputs in order, one FMA each, from zero.
#pragma once

#include "kernels/kernels.h"
#include "kernels/linear/product.h"
#include "kernels/simd/activation.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// Vectors of sums that stay in registers, beside the weights and an input.
constexpr int kSumVectors = kRegisters == 32 ? 24 : kPanelVectors == 2 ? 12 : 8;
// Panels side by side where there are many rows.
constexpr int kUsualPanels = kPanelVectors == 1 ? 2 : 1;

// kDepth: how many cells of weights, of all panels at once, stay in a near cache while the rows pass by.
struct FloatLinear : FloatProduct {
  static constexpr int64_t kDepth = 512;
};

// Rows at once for so many panels.
constexpr int rows_at_once(int panels) {
  const int rows = kSumVectors / (panels * kPanelVectors);
  return rows < 1 ? 1 : rows > 12 ? 12 : rows;
}

// Weights that will be wanted next are prefetched while products are formed: so many cache lines of each panel for
// every kAheadInputs inputs.
struct Ahead {
  const char* at = nullptr;
  const char* end = nullptr;
  int64_t lines = 0;
  int64_t stride = 0;         // from one panel to the next
  bool second_cache = false;  // into it, so that the first cache's few fill buffers stay free for what is wanted now
};
constexpr int64_t kAheadInputs = 16;
constexpr int64_t kLine = 64;
// So few rows pass by too fast: the processor's own prefetching is sooner.
constexpr int64_t kFewRows = 6;

template <int kPanels, typename Number>
inline Ahead ahead_of(const Number* next, int64_t panel_stride, int64_t inputs, int64_t rows,
                      bool second_cache = false) {
  constexpr int64_t kStepBytes = kAheadInputs * kPanel * static_cast<int64_t>(sizeof(Number));
  const int64_t groups = (rows + rows_at_once(kPanels) - 1) / rows_at_once(kPanels);
  Ahead ahead;
  ahead.at = reinterpret_cast<const char*>(next);
  ahead.end = reinterpret_cast<const char*>(rows > kFewRows ? next + inputs * kPanel : next);
  ahead.lines = (kStepBytes / kLine + groups - 1) / groups;
  ahead.stride = panel_stride * static_cast<int64_t>(sizeof(Number));
  ahead.second_cache = second_cache;
  return ahead;
}

// Sums that are only stored.
struct KeepSums {
  static constexpr bool wanted = false;
};

// sums[kRows][kPanels * kPanel] (+)= in[kRows][inputs] * weights. With `last`, finish gets them instead.
template <typename Product, int kRows, int kPanels, typename Number = typename Product::Number, typename Finish>
inline void linear_piece(const Number* in, int64_t in_stride, int64_t inputs, typename Product::Weights weights,
                         int64_t panel_stride, bool first, bool last, Number* sums, int64_t sums_stride, Ahead* ahead,
                         int64_t row, const Finish& finish) {
  using Vector = typename Product::Vector;
  constexpr bool kAllFit = (kRows + 1) * kPanels * kPanelVectors < kRegisters;
  Vector running[kRows][kPanels * kPanelVectors];
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kPanels * kPanelVectors>([&](auto v) LFFN_INLINE {
      running[r][v] = first ? Vector::set1(0) : Vector::load(sums + r * sums_stride + v * kLanes);
    });
  });
  const Number* rows[kRows];
  unroll<kRows>([&](auto r) LFFN_INLINE { rows[r] = in + r * in_stride; });
  if constexpr (Product::kHasList) {
    if (first) Product::template add_list<kPanels>(running, rows, weights, panel_stride);
  }
  const auto ask_ahead = [&]() LFFN_INLINE {
    if constexpr (kPanels > kUsualPanels && rows_at_once(kPanels) <= kFewRows) return;
    for (int64_t line = 0; line < ahead->lines && ahead->at < ahead->end; ++line, ahead->at += kLine) {
      for (int p = 0; p < kPanels; ++p) {
        const char* at = ahead->at + p * ahead->stride;
        ahead->second_cache ? __builtin_prefetch(at, 0, 2) : __builtin_prefetch(at);
      }
    }
  };
  if constexpr (kRows >= Product::kAllFrom) {
    for (int64_t i = 0; i < inputs; i += kAheadInputs) ask_ahead();
    Product::add_all(running, rows, inputs, weights, panel_stride);
  } else {
    for (int64_t i = 0; i < inputs;) {
      ask_ahead();
      const int64_t end = i + kAheadInputs < inputs ? i + kAheadInputs : inputs;
      for (; i < end; ++i) {
        const auto outputs = [&](auto v) LFFN_INLINE {
          constexpr int kPanelIndex = decltype(v)::value / kPanelVectors, kWithin = decltype(v)::value % kPanelVectors;
          const Vector loaded = Product::load(weights + kPanelIndex * panel_stride + i * kPanel + kWithin * kLanes);
          return kAllFit ? keep(loaded) : loaded;
        };
        add_products<Product>(running, outputs, [&](auto r, int part) LFFN_INLINE {
          return Vector::set1(rows[r][i * Product::kParts + part]);
        });
      }
    }
  }
  alignas(64) Number done[kRows * kPanels * kPanel];
  const bool finished = Finish::wanted && last;
  Number* to = finished ? done : sums;
  const int64_t to_stride = finished ? kPanels * kPanel : sums_stride;
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kPanels * kPanelVectors>([&](auto v) LFFN_INLINE { running[r][v].store(to + r * to_stride + v * kLanes); });
  });
  if constexpr (Finish::wanted) {
    if (last) finish.template run<Vector, kPanels * kPanelVectors>(row, kRows, done);
  }
}

// The same for fewer rows than are usual, down to one.
template <typename Product, int kMost, int kPanels, typename... Arguments>
inline void linear_rest(int64_t rows, Arguments&&... arguments) {
  if constexpr (kMost > 0) {
    if (rows == kMost) return linear_piece<Product, kMost, kPanels>(arguments...);
    linear_rest<Product, kMost - 1, kPanels>(rows, arguments...);
  }
}

// sums[rows][kPanels * kPanel] (+)= in[rows][inputs] * weights
template <typename Product, int kPanels, typename Number = typename Product::Number, typename Finish = KeepSums>
void linear_rows(const Number* in, int64_t in_stride, int64_t rows, int64_t inputs, typename Product::Weights weights,
                 int64_t panel_stride, bool first, Number* sums, int64_t sums_stride, Ahead ahead, bool last = false,
                 const Finish& finish = {}) {
  constexpr int kRows = rows_at_once(kPanels) < Product::kMostRows ? rows_at_once(kPanels) : Product::kMostRows;
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) {
    linear_piece<Product, kRows, kPanels>(in + r * in_stride, in_stride, inputs, weights, panel_stride, first, last,
                                          sums + r * sums_stride, sums_stride, &ahead, r, finish);
  }
  linear_rest<Product, kRows - 1, kPanels>(rows - r, in + r * in_stride, in_stride, inputs, weights, panel_stride,
                                           first, last, sums + r * sums_stride, sums_stride, &ahead, r, finish);
}

alignas(64) constexpr float kNothing[8 * kPanel] = {};

// Finished sums -> out. Scaling has what it needs of a column and of a row, makes the result of the two and a vector of
// sums, and knows which rows are amended afterwards, and how.
template <typename Scaling>
struct FinishRows {
  static constexpr bool wanted = true;
  const LinearPlan& plan;
  int64_t first_row, first_column;
  const Scaling& scaling;

  // One loop for any number of rows, separate from the products: inside them its pointers would take registers from the
  // sums.
  template <typename Vector, int kVectors, typename Number>
  __attribute__((noinline)) void run(int64_t row, int64_t rows, const Number* sums) const {
    constexpr int64_t kColumns = kVectors * kLanes;
    static_assert(kColumns <= 8 * kPanel);
    // Copies, because the compiler must assume that a stored vector may change what a pointer points to.
    const Scaling scale = scaling;
    const bool add = plan.add;
    const int64_t out_stride = plan.out_stride, room = plan.outputs - first_column;
    const bool whole = room >= kColumns;
    row += first_row;
    float* out = plan.out + row * out_stride + first_column;
    const float* before = whole && add ? out : kNothing;
    const int64_t before_stride = whole && add ? out_stride : 0;
    typename Scaling::Column columns[kVectors];
    unroll<kVectors>([&](auto v) LFFN_INLINE { columns[v] = scale.column(first_column + v * kLanes); });
    const auto finish = [&](float* to) LFFN_INLINE {
      const typename Scaling::Row mine = scale.row(row);
      unroll<kVectors>([&](auto v) LFFN_INLINE {
        const F32 result = Scaling::result(Vector::load(sums + v * kLanes), columns[v], mine);
        (result + F32::load(before + v * kLanes)).store(to + v * kLanes);
      });
      sums += kColumns;
    };
    const int64_t end = row + rows;
    if (whole) {
      for (; row < end; ++row, out += out_stride, before += before_stride) finish(out);
      return;
    }
    float part[kColumns];  // for panels that reach beyond the outputs
    for (; row < end; ++row, out += out_stride) {
      finish(part);
      for (int64_t c = 0; c < room; ++c) out[c] = part[c] + (add ? out[c] : 0.0f);
    }
  }
};

template <typename Function>
inline void apply(float* rows, int64_t stride, int64_t count, int64_t columns, Function&& function) {
  for (int64_t r = 0; r < count; ++r, rows += stride) {
    int64_t c = 0;
    for (; c + kLanes <= columns; c += kLanes) function(F32::load(rows + c)).store(rows + c);
    if (c == columns) continue;
    float last[kLanes] = {};
    for (int64_t i = c; i < columns; ++i) last[i - c] = rows[i];
    function(F32::load(last)).store(last);
    for (int64_t i = c; i < columns; ++i) rows[i] = last[i - c];
  }
}

void activate(Activation activation, float* rows, int64_t stride, int64_t count, int64_t columns) {
  switch (activation) {
    case Activation::kNone:
      return;
    case Activation::kGelu:
      return apply(rows, stride, count, columns, [](F32 x) { return gelu(x); });
    case Activation::kTanh:
      return apply(rows, stride, count, columns, [](F32 x) { return tanh(x); });
    case Activation::kGeluTanh:
      return apply(rows, stride, count, columns, [](F32 x) { return gelu_tanh(x); });
    case Activation::kRelu:
      return apply(rows, stride, count, columns, [](F32 x) { return relu(x); });
    case Activation::kSigmoid:
      return apply(rows, stride, count, columns, [](F32 x) { return sigmoid(x); });
    case Activation::kSilu:
      return apply(rows, stride, count, columns, [](F32 x) { return silu(x); });
  }
}

// With more rows than this, weights that the product takes apart are taken apart once for all rows.
constexpr int64_t kWidenRows = 4 * rows_at_once(kUsualPanels);

// `kPanels` panels from output `first_column` on, for up to kLinearRows rows. `amend`: some of these rows are amended.
// The weights hold `cells` for each output.
template <typename Product, int kPanels, typename Number, typename Scaling>
inline void linear_panels(const LinearPlan& plan, const Number* in, int64_t in_stride, const Number* weights,
                          int64_t cells, int64_t panel_stride, int64_t first_row, int64_t rows, int64_t first_column,
                          const Scaling& scaling, bool amend) {
  constexpr int64_t kColumns = kPanels * kPanel, kPieceCells = Product::kDepth / kPanels;
  // The sums so far, where a product takes several pieces.
  alignas(64) Number sums[kLinearRows * (kPanels > kUsualPanels ? kUsualPanels : kPanels) * kPanel];
  const FinishRows<Scaling> finish = {plan, first_row, first_column, scaling};
  in += first_row * in_stride;
  weights += first_column / kPanel * panel_stride;
  for (int64_t i = 0; i < cells; i += kPieceCells) {
    const int64_t depth = cells - i < kPieceCells ? cells - i : kPieceCells;
    const bool first = i == 0, last = i + depth == cells;
    const Number* piece = weights + i * kPanel;
    const Number* next = piece + kPanels * panel_stride;  // the same inputs of the panels after these
    const Ahead ahead = first_column + kColumns >= plan.outputs
                            ? Ahead()
                            : ahead_of<kPanels>(next, panel_stride, depth, rows, cells > kPieceCells);
    const Number* from = in + i * Product::kParts;
    if constexpr (Product::kWidens && kPanels <= kUsualPanels) {
      if (rows > kWidenRows) {
        alignas(64) Number wide[Product::kParts * Product::kDepth * kPanel];
        const int64_t wide_cells = Product::kParts * depth, wide_stride = wide_cells * kPanel;
        for (int p = 0; p < kPanels; ++p) Product::widen(piece + p * panel_stride, depth, wide + p * wide_stride);
        linear_rows<typename Product::Wide, kPanels>(from, in_stride, rows, wide_cells,
                                                     static_cast<const Number*>(wide), wide_stride, first,
                                                     static_cast<Number*>(sums), kColumns, ahead, last, finish);
        continue;
      }
    }
    if constexpr (Product::kInTwos) {
      using InTwos = typename Product::InTwos;
      const typename InTwos::Cells twos(piece, depth);
      linear_rows<InTwos, kPanels>(from, in_stride, rows, depth, &twos, panel_stride, first, static_cast<Number*>(sums),
                                   kColumns, ahead, last, finish);
    } else {
      linear_rows<Product, kPanels>(from, in_stride, rows, depth, piece, panel_stride, first,
                                    static_cast<Number*>(sums), kColumns, ahead, last, finish);
    }
  }
  const int64_t room = plan.outputs - first_column, columns = room < kColumns ? room : kColumns;
  if (amend) scaling.amend(plan, first_row, rows, first_column, columns);
  activate(plan.activation, plan.out + first_row * plan.out_stride + first_column, plan.out_stride, rows, columns);
}

// All rows and panels. Few rows take more panels at once: they leave registers free for them, and that hides the
// latency of the sums.
template <typename Product, typename Number, typename Scaling>
void linear_of(const LinearPlan& plan, const Number* in, int64_t in_stride, const Number* weights, int64_t cells,
               int64_t panel_stride, const Scaling& scaling) {
  for (int64_t r = 0; r < plan.rows; r += kLinearRows) {
    const int64_t rows = plan.rows - r < kLinearRows ? plan.rows - r : kLinearRows;
    const bool amend = scaling.any_to_amend(r, rows);
    int64_t column = 0;
    const auto run = [&](auto panels) LFFN_INLINE {
      constexpr int kPanels = decltype(panels)::value;
      for (; column + (kPanels - 1) * kPanel < plan.outputs; column += kPanels * kPanel) {
        linear_panels<Product, kPanels>(plan, in, in_stride, weights, cells, panel_stride, r, rows, column, scaling,
                                        amend);
      }
    };
    if constexpr (Product::kSideBySide) {
      if (rows <= rows_at_once(4 * kUsualPanels)) {
        run(Constant<4 * kUsualPanels>());
      } else if (rows <= rows_at_once(2 * kUsualPanels)) {
        run(Constant<2 * kUsualPanels>());
      } else if (kUsualPanels > 1) {
        run(Constant<kUsualPanels>());
      }
    }
    run(Constant<1>());
  }
}

struct AddBias {
  const float* bias;
  using Column = F32;
  struct Row {};
  F32 column(int64_t c) const { return F32::load(bias + c); }
  static Row row(int64_t) { return {}; }
  static F32 result(F32 sums, F32 bias, Row) { return sums + bias; }
  static bool any_to_amend(int64_t, int64_t) { return false; }
  static void amend(const LinearPlan&, int64_t, int64_t, int64_t, int64_t) {}
};

inline void linear(const LinearPlan& plan) {
  linear_of<FloatLinear>(plan, plan.in, plan.in_stride, plan.weights, plan.inputs, plan.inputs * kPanel,
                         AddBias{plan.bias});
}

}  // namespace
}  // namespace lffn
