// Products of many rows with a matrix in panels. The outputs lie in the lanes, so that rows come in and go out as they
// are, one row or thousands. Each output is summed over the inputs in order, one FMA each, from zero.
#pragma once

#include <type_traits>

#include "kernels/activation.h"
#include "kernels/kernels.h"
#include "kernels/product.h"
#include "kernels/product_int8.h"
#include "kernels/simd.h"
#include "kernels/unroll.h"

namespace lffn {
namespace {

constexpr int kPanelVectors = static_cast<int>(kPanel) / kLanes;
// Vectors of sums that stay in registers, beside the weights and an input.
constexpr int kSumVectors = kRegisters == 32 ? 24 : kPanelVectors == 2 ? 12 : 8;
// Panels side by side where there are many rows.
constexpr int kUsualPanels = kPanelVectors == 1 ? 2 : 1;

// The sums of a product and what goes into them: floats, or pairs of int16 whose integer sums are exact. kDepth: inputs
// of all panels at once whose weights stay in a near cache while the rows pass by.
struct FloatProduct {
  static constexpr int64_t kDepth = 512;
  using Number = float;
  using Weight = float;
  using Vector = F32;
  static F32 load(const float* weights) { return F32::load(weights); }
  static F32 multiply(F32 weights, F32 input, F32 sums) { return fma(weights, input, sums); }
};
struct PairProduct {
  static constexpr int64_t kDepth = 256;
  using Number = int32_t;
  using Weight = int32_t;
  using Vector = I32;
  static I32 load(const int32_t* weights) { return I32::load(weights); }
  static I32 multiply(I32 weights, I32 input, I32 sums) { return dot_pairs_here(sums, weights, input); }
};
// The same with weights as they are stored, a pair of bytes each.
struct BytesProduct : PairProduct {
  using Weight = int16_t;
  static I32 load(const int16_t* weights) { return load_pairs(reinterpret_cast<const int8_t*>(weights)); }
};

// Rows at once for so many panels.
constexpr int rows_at_once(int panels) {
  const int rows = kSumVectors / (panels * kPanelVectors);
  return rows < 1 ? 1 : rows > 12 ? 12 : rows;
}

// Weights that will be wanted next, brought closer while products are formed: so many cache lines of each panel for
// every kAheadInputs inputs.
struct Ahead {
  const char* at = nullptr;
  const char* end = nullptr;
  int64_t lines = 0;
  int64_t stride = 0;  // from one panel to the next
};
constexpr int64_t kAheadInputs = 16;
constexpr int64_t kLine = 64;

template <int kPanels, typename Weight>
inline Ahead ahead_of(const Weight* next, int64_t panel_stride, int64_t inputs, int64_t rows) {
  constexpr int64_t kStepBytes = kAheadInputs * kPanel * static_cast<int64_t>(sizeof(Weight));
  const int64_t groups = (rows + rows_at_once(kPanels) - 1) / rows_at_once(kPanels);
  Ahead ahead;
  ahead.at = reinterpret_cast<const char*>(next);
  ahead.end = reinterpret_cast<const char*>(next + inputs * kPanel);
  ahead.lines = (kStepBytes / kLine + groups - 1) / groups;
  ahead.stride = panel_stride * static_cast<int64_t>(sizeof(Weight));
  return ahead;
}

// sums[kRows][kPanels * kPanel] (+)= in[kRows][inputs] * weights
template <typename Product, int kRows, int kPanels, typename Number = typename Product::Number,
          typename Weight = typename Product::Weight>
inline void linear_piece(const Number* in, int64_t in_stride, int64_t inputs, const Weight* weights,
                         int64_t panel_stride, bool first, Number* sums, int64_t sums_stride, Ahead* ahead) {
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
  for (int64_t i = 0; i < inputs;) {
    for (int64_t line = 0; line < ahead->lines && ahead->at < ahead->end; ++line, ahead->at += kLine) {
      for (int p = 0; p < kPanels; ++p) __builtin_prefetch(ahead->at + p * ahead->stride);
    }
    const int64_t end = i + kAheadInputs < inputs ? i + kAheadInputs : inputs;
    for (; i < end; ++i) {
      Vector outputs[kPanels * kPanelVectors];
      unroll<kPanels * kPanelVectors>([&](auto v) LFFN_INLINE {
        constexpr int kPanelIndex = decltype(v)::value / kPanelVectors, kWithin = decltype(v)::value % kPanelVectors;
        outputs[v] = Product::load(weights + kPanelIndex * panel_stride + i * kPanel + kWithin * kLanes);
        if constexpr (kAllFit) outputs[v] = keep(outputs[v]);
      });
      unroll<kRows>([&](auto r) LFFN_INLINE {
        const Vector input = Vector::set1(rows[r][i]);
        unroll<kPanels * kPanelVectors>(
            [&](auto v) LFFN_INLINE { running[r][v] = Product::multiply(outputs[v], input, running[r][v]); });
      });
    }
  }
  unroll<kRows>([&](auto r) LFFN_INLINE {
    unroll<kPanels * kPanelVectors>([&](auto v)
                                        LFFN_INLINE { running[r][v].store(sums + r * sums_stride + v * kLanes); });
  });
}

// The same for fewer rows than are usual, down to one.
template <typename Product, int kMost, int kPanels, typename Number = typename Product::Number,
          typename Weight = typename Product::Weight>
inline void linear_rest(int64_t rows, const Number* in, int64_t in_stride, int64_t inputs, const Weight* weights,
                        int64_t panel_stride, bool first, Number* sums, int64_t sums_stride, Ahead* ahead) {
  if constexpr (kMost > 0) {
    if (rows == kMost) {
      return linear_piece<Product, kMost, kPanels>(in, in_stride, inputs, weights, panel_stride, first, sums,
                                                   sums_stride, ahead);
    }
    linear_rest<Product, kMost - 1, kPanels>(rows, in, in_stride, inputs, weights, panel_stride, first, sums,
                                             sums_stride, ahead);
  }
}

// sums[rows][kPanels * kPanel] (+)= in[rows][inputs] * weights
template <typename Product, int kPanels, typename Number = typename Product::Number,
          typename Weight = typename Product::Weight>
void linear_rows(const Number* in, int64_t in_stride, int64_t rows, int64_t inputs, const Weight* weights,
                 int64_t panel_stride, bool first, Number* sums, int64_t sums_stride, Ahead ahead = {}) {
  constexpr int kRows = rows_at_once(kPanels);
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) {
    linear_piece<Product, kRows, kPanels>(in + r * in_stride, in_stride, inputs, weights, panel_stride, first,
                                          sums + r * sums_stride, sums_stride, &ahead);
  }
  linear_rest<Product, kRows - 1, kPanels>(rows - r, in + r * in_stride, in_stride, inputs, weights, panel_stride,
                                           first, sums + r * sums_stride, sums_stride, &ahead);
}

// value(row, column, sums) of each vector of sums[rows][columns] -> out, through the activation.
template <typename Number, typename Value, typename Function>
inline void finish_linear(const LinearPlan& plan, int64_t first_row, int64_t rows, int64_t first_column,
                          int64_t columns, const Number* sums, Value&& value, Function&& function) {
  const int64_t sums_stride = columns;
  if (columns > plan.outputs - first_column) columns = plan.outputs - first_column;
  for (int64_t r = 0; r < rows; ++r, sums += sums_stride) {
    float* out = plan.out + (first_row + r) * plan.out_stride + first_column;
    for (int64_t c = 0; c < columns; c += kLanes) {
      const F32 result = function(value(first_row + r, first_column + c, sums + c));
      if (c + kLanes <= columns) {
        (plan.add ? F32::load(out + c) + result : result).store(out + c);
        continue;
      }
      float last[kLanes];
      result.store(last);
      for (int64_t i = c; i < columns; ++i) out[i] = plan.add ? out[i] + last[i - c] : last[i - c];
    }
  }
}

// Bytes pay where few rows share a piece of weights; for more rows they are widened once.
constexpr int64_t kWidenRows = 4 * rows_at_once(kUsualPanels);

inline void widen(const int16_t* weights, int64_t panel_stride, int panels, int64_t inputs, int32_t* to) {
  for (int p = 0; p < panels; ++p) {
    const int8_t* bytes = reinterpret_cast<const int8_t*>(weights + p * panel_stride);
    for (int64_t k = 0; k < inputs * kPanel; k += kLanes, to += kLanes) load_pairs(bytes + 2 * k).store(to);
  }
}

// `kPanels` panels from output `first_column` on, for up to kLinearRows rows. in and weights hold `inputs` numbers of
// the product's kind for each row and output.
template <typename Product, int kPanels, typename Number, typename Weight, typename Value>
inline void linear_panels(const LinearPlan& plan, const Number* in, int64_t in_stride, const Weight* weights,
                          int64_t inputs, int64_t first_row, int64_t rows, int64_t first_column, Value&& value) {
  constexpr int64_t kColumns = kPanels * kPanel, kPieceInputs = Product::kDepth / kPanels;
  alignas(64) Number sums[kLinearRows * (kPanels > kUsualPanels ? kUsualPanels : kPanels) * kPanel];
  const int64_t panel_stride = inputs * kPanel;
  in += first_row * in_stride;
  weights += first_column * inputs;
  for (int64_t i = 0; i < inputs; i += kPieceInputs) {
    const int64_t depth = inputs - i < kPieceInputs ? inputs - i : kPieceInputs;
    const Weight* piece = weights + i * kPanel;
    const Weight* next = i + depth < inputs ? piece + depth * kPanel : weights + kPanels * panel_stride;
    const bool last = i + depth == inputs && first_column + kColumns >= plan.outputs;
    const Ahead ahead = last ? Ahead() : ahead_of<kPanels>(next, panel_stride, depth, rows);
    if constexpr (std::is_same_v<Product, BytesProduct> && kPanels <= kUsualPanels) {
      if (rows > kWidenRows) {
        alignas(64) int32_t wide[Product::kDepth * kPanel];
        widen(piece, panel_stride, kPanels, depth, static_cast<int32_t*>(wide));
        linear_rows<PairProduct, kPanels>(in + i, in_stride, rows, depth, static_cast<const int32_t*>(wide),
                                          depth * kPanel, i == 0, static_cast<Number*>(sums), kColumns, ahead);
        continue;
      }
    }
    linear_rows<Product, kPanels>(in + i, in_stride, rows, depth, piece, panel_stride, i == 0,
                                  static_cast<Number*>(sums), kColumns, ahead);
  }
  const auto finish = [&](auto&& function) LFFN_INLINE {
    finish_linear(plan, first_row, rows, first_column, kColumns, static_cast<const Number*>(sums), value, function);
  };
  switch (plan.activation) {
    case Activation::kGelu:
      return finish([](F32 x) { return gelu(x); });
    case Activation::kTanh:
      return finish([](F32 x) { return tanh(x); });
    case Activation::kGeluTanh:
      return finish([](F32 x) { return gelu_tanh(x); });
    case Activation::kRelu:
      return finish([](F32 x) { return relu(x); });
    case Activation::kSigmoid:
      return finish([](F32 x) { return sigmoid(x); });
    default:
      return finish([](F32 x) { return x; });
  }
}

// All rows and panels, few rows with more panels at once: that leaves registers free and hides the latency of the sums.
template <typename Product, typename Number, typename Weight, typename Value>
void linear_of(const LinearPlan& plan, const Number* in, int64_t in_stride, const Weight* weights, int64_t inputs,
               Value&& value) {
  for (int64_t r = 0; r < plan.rows; r += kLinearRows) {
    const int64_t rows = plan.rows - r < kLinearRows ? plan.rows - r : kLinearRows;
    int64_t column = 0;
    const auto run = [&](auto panels) LFFN_INLINE {
      constexpr int kPanels = decltype(panels)::value;
      for (; column + (kPanels - 1) * kPanel < plan.outputs; column += kPanels * kPanel) {
        linear_panels<Product, kPanels>(plan, in, in_stride, weights, inputs, r, rows, column, value);
      }
    };
    if (rows <= rows_at_once(4 * kUsualPanels)) {
      run(Constant<4 * kUsualPanels>());
    } else if (rows <= rows_at_once(2 * kUsualPanels)) {
      run(Constant<2 * kUsualPanels>());
    } else if (kUsualPanels > 1) {
      run(Constant<kUsualPanels>());
    }
    run(Constant<1>());
  }
}

inline void linear(const LinearPlan& plan) {
  linear_of<FloatProduct>(plan, plan.in, plan.in_stride, plan.weights, plan.inputs,
                          [&](int64_t, int64_t column, const float* sums)
                              LFFN_INLINE { return F32::load(sums) + F32::load(plan.bias + column); });
}

inline void linear_int8(const LinearInt8Plan& plan) {
  linear_of<BytesProduct>(plan.linear, plan.in, plan.in_stride, reinterpret_cast<const int16_t*>(plan.weights),
                          (plan.linear.inputs + 1) / 2,
                          [&](int64_t row, int64_t column, const int32_t* sums) LFFN_INLINE {
                            const F32 scaled = to_float(I32::load(sums)) * F32::load(plan.weight_scales + column);
                            return fma(scaled, F32::set1(plan.in_scales[row]), F32::load(plan.linear.bias + column));
                          });
}

// Rows -> pairs of int16 and what one step is worth in each. Where a row has a NaN or an infinity, its step has, too.
inline void quantise_rows(const float* in, int64_t in_stride, int64_t rows, int64_t inputs, float steps, int32_t* pairs,
                          int64_t pairs_stride, float* scales) {
  constexpr int64_t kChunk = 64;
  for (int64_t r = 0; r < rows; ++r, in += in_stride, pairs += pairs_stride) {
    // As integers, magnitudes keep their order, and NaN is the largest.
    I32 lanes = I32::set1(0);
    int64_t i = 0;
    for (; i + kLanes <= inputs; i += kLanes) lanes = max(lanes, bits(abs(F32::load(in + i))));
    int32_t largest = 0, each[kLanes];
    lanes.store(each);
    for (const int32_t magnitude : each) largest = magnitude > largest ? magnitude : largest;
    for (; i < inputs; ++i) {
      int32_t magnitude;
      __builtin_memcpy(&magnitude, in + i, sizeof magnitude);
      magnitude &= 0x7fffffff;
      largest = magnitude > largest ? magnitude : largest;
    }
    float range;
    __builtin_memcpy(&range, &largest, sizeof range);
    range = range < kSmallestRange ? kSmallestRange : range;
    scales[r] = range / steps;
    const float inverse = steps / range;
    for (int64_t c = 0; c < inputs; c += kChunk) {
      const int64_t count = inputs - c < kChunk ? inputs - c : kChunk;
      float last[kChunk];
      const float* from = in + c;
      if (count < kChunk) {
        for (int64_t k = 0; k < kChunk; ++k) last[k] = k < count ? from[k] : 0.0f;
        from = last;
      }
      uint16_t halves[kChunk];
      for (int64_t k = 0; k < kChunk; k += kLanes) {
        const F32 rounded = fma(F32::load(from + k), F32::set1(inverse), F32::set1(kRoundInLowBits));
        store_u16(bits(rounded) & I32::set1(0xffff), halves + k);
      }
      __builtin_memcpy(pairs + c / 2, halves, static_cast<size_t>((count + 1) / 2) * sizeof(int32_t));
    }
  }
}

}  // namespace
}  // namespace lffn
