// SPDX-License-Identifier: Apache-2.0
// The activations that models have, and what each is called where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/kernels.h"
#include "lookupffn/model.h"

namespace lffn {

struct ActivationRow {
  Activation activation;     // as the kernels know it
  const char* hidden_act;    // in transformers' configs; nullptr: not there
  const char* torch_name;    // of PyTorch's module; nullptr: not in the modules of sentence encoders and rerankers
  const char* own_name;      // of these modules in a single file
  int32_t score;             // LFFN_SCORE_
  float (*function)(float);  // of one number, the same bits everywhere
};

// The first row of an activation.
const ActivationRow& activation_row(Activation activation);

// nullptr if there is no such name. PyTorch's name is the full one: "torch.nn.modules.activation.Tanh".
const ActivationRow* find_hidden_act(std::string_view name);
const ActivationRow* find_torch_activation(std::string_view name);
const ActivationRow* find_own_activation(std::string_view name);

// The names that configs use, for messages: "gelu", "relu"...
std::string hidden_act_names();

}  // namespace lffn
