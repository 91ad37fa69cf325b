// SPDX-License-Identifier: Apache-2.0
#include "model/config/activations.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "format/utf8.h"
#include "runtime/own_math.h"

namespace lffn {
namespace {

float identity(float x) { return x; }
float tanh_of(float x) { return static_cast<float>(own_tanh(static_cast<double>(x))); }
float relu(float x) { return x < 0 ? 0.0f : x; }
float sigmoid(float x) { return static_cast<float>(1 / (1 + own_exp(-static_cast<double>(x)))); }
float gelu(float x) {
  return static_cast<float>(0.5 * static_cast<double>(x) * own_erfc(-static_cast<double>(x) * std::sqrt(0.5)));
}

constexpr ActivationRow kRows[] = {
    {Activation::kNone, nullptr, "Identity", "identity", LFFN_SCORE_ACTIVATION_IDENTITY, identity},
    {Activation::kTanh, nullptr, "Tanh", "tanh", LFFN_SCORE_ACTIVATION_TANH, tanh_of},
    {Activation::kGelu, "gelu", "GELU", "gelu", LFFN_SCORE_ACTIVATION_GELU, gelu},
    {Activation::kGeluTanh, "gelu_new", nullptr, nullptr, -1, nullptr},
    {Activation::kGeluTanh, "gelu_pytorch_tanh", nullptr, nullptr, -1, nullptr},
    {Activation::kRelu, "relu", "ReLU", "relu", LFFN_SCORE_ACTIVATION_RELU, relu},
    {Activation::kSilu, "silu", nullptr, nullptr, -1, nullptr},
    {Activation::kSilu, "swish", nullptr, nullptr, -1, nullptr},
    {Activation::kSigmoid, nullptr, "Sigmoid", "sigmoid", LFFN_SCORE_ACTIVATION_SIGMOID, sigmoid},
};

const ActivationRow* find(const char* ActivationRow::*name, std::string_view wanted) {
  const auto* found = std::find_if(std::begin(kRows), std::end(kRows), [&](const ActivationRow& row) {
    return row.*name != nullptr && row.*name == wanted;
  });
  return found == std::end(kRows) ? nullptr : found;
}

}  // namespace

const ActivationRow& activation_row(Activation activation) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const ActivationRow& row) { return row.activation == activation; });
}

const ActivationRow* find_hidden_act(std::string_view name) { return find(&ActivationRow::hidden_act, name); }

const ActivationRow* find_torch_activation(std::string_view name) {
  return starts_with(name, "torch.nn.") ? find(&ActivationRow::torch_name, name.substr(name.rfind('.') + 1)) : nullptr;
}

const ActivationRow* find_own_activation(std::string_view name) { return find(&ActivationRow::own_name, name); }

std::string hidden_act_names() {
  std::string names;
  for (const ActivationRow& row : kRows) {
    if (row.hidden_act != nullptr) names += (names.empty() ? "\"" : ", \"") + std::string(row.hidden_act) + '"';
  }
  return names;
}

}  // namespace lffn
