// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/balance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "format/tensor_numbers.h"

namespace lffn {
namespace {

using Factors = std::vector<float>;

constexpr double kApart = 4;  // how much smaller than usual weights must be
constexpr int kMostExponent = 10;

bool becomes_int8(const LinearTensors& linear, const ModelLoadOptions& options) {
  const auto is_float = [](const TensorView* scales) { return scales == nullptr; };
  return !linear.empty() && linear.may_be_int8 && options.linear_dtype == LFFN_DTYPE_INT8 &&
         std::all_of(linear.scales.begin(), linear.scales.end(), is_float);
}

// The sum of squares of the weights that read each input.
std::vector<double> squares_of_columns(const LinearTensors& linear) {
  std::vector<double> squares(static_cast<size_t>(linear.inputs));
  std::vector<float> row(squares.size());
  for (const TensorView* weight : linear.weights) {
    for (int64_t r = 0; r < weight->shape[0]; ++r) {
      read_floats(*weight, r * linear.inputs, linear.inputs, row.data());
      for (size_t i = 0; i < row.size(); ++i) squares[i] += static_cast<double>(row[i]) * static_cast<double>(row[i]);
    }
  }
  return squares;
}

// What the weights of each channel are multiplied by; empty: no channel's weights are far smaller than usual.
Factors factors_of(const std::vector<double>& squares) {
  double mean = 0;
  for (const double square : squares) mean += square / static_cast<double>(squares.size());
  Factors factors(squares.size(), 1.0f);
  bool any = false;
  for (size_t i = 0; i < squares.size(); ++i) {
    if (!(squares[i] > 0) || mean < kApart * kApart * squares[i]) continue;
    int exponent = 0;
    while (exponent < kMostExponent && mean >= 2 * std::ldexp(squares[i], 2 * exponent)) ++exponent;
    factors[i] = std::ldexp(1.0f, exponent);
    any = true;
  }
  return any ? factors : Factors();
}

void behind_norm(NormTensors& norm, LinearTensors& linear, const ModelLoadOptions& options) {
  if (norm.empty() || !becomes_int8(linear, options)) return;
  linear.input_factors = norm.divisors = factors_of(squares_of_columns(linear));
}

// Outputs of `maker` from `first` on are the inputs of `reader`, as many as there are factors.
void divide_outputs(LinearTensors& maker, int64_t first, const Factors& factors) {
  if (maker.output_factors.empty()) maker.output_factors.assign(static_cast<size_t>(maker.outputs), 1.0f);
  for (size_t i = 0; i < factors.size(); ++i) {
    maker.output_factors[static_cast<size_t>(first) + i] = 1 / factors[i];
  }
}

// Balances the channels of values; several query heads may read one.
void balance_values(const LayerDescription& described, LinearTensors& query_key_value, LinearTensors& out,
                    const ModelLoadOptions& options) {
  if (!becomes_int8(query_key_value, options) || !becomes_int8(out, options)) return;
  const int64_t size = described.head_size, shared = described.heads / described.key_heads;
  const auto channel = [&](int64_t input) { return static_cast<size_t>(input / size / shared * size + input % size); };
  const std::vector<double> columns = squares_of_columns(out);
  std::vector<double> squares(static_cast<size_t>(described.key_size()));
  for (int64_t i = 0; i < out.inputs; ++i) squares[channel(i)] += columns[static_cast<size_t>(i)];
  const Factors factors = factors_of(squares);
  if (factors.empty()) return;
  divide_outputs(query_key_value, described.query_size() + described.key_size(), factors);
  out.input_factors.resize(static_cast<size_t>(out.inputs));
  for (int64_t i = 0; i < out.inputs; ++i) out.input_factors[static_cast<size_t>(i)] = factors[channel(i)];
}

// Gated neurons are divided in the half to which no activation applies.
void balance_neurons(const LayerDescription& described, LinearTensors& up, LinearTensors& down,
                     const ModelLoadOptions& options) {
  if (described.gate == Gate::kNone || !becomes_int8(up, options) || !becomes_int8(down, options)) return;
  down.input_factors = factors_of(squares_of_columns(down));
  if (!down.input_factors.empty()) {
    divide_outputs(up, described.gate == Gate::kFirst ? down.inputs : 0, down.input_factors);
  }
}

}  // namespace

void balance(const ModelConfig& config, const ModelLoadOptions& options, ModelTensors& model) {
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const LayerDescription& described = config.layers[i];
    LayerTensorParts& layer = model.layers[i];
    // Older families stay as they are, to the bit.
    if (!described.rotates) continue;
    if (described.norms != NormPlace::kAfter) {
      behind_norm(layer.attention_norm, layer.query_key_value, options);
      if (layer.lookup.empty()) behind_norm(layer.ffn_norm, layer.up, options);
    }
    if (described.heads > 0) balance_values(described, layer.query_key_value, layer.attention_out, options);
    balance_neurons(described, layer.up, layer.down, options);
  }
}

}  // namespace lffn
