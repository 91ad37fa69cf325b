// SPDX-License-Identifier: Apache-2.0
// Balances channels before weights become int8. In trained encoders some channels are far larger than the others, and
// the next layer reads them with far smaller weights. A row of int8 weights or inputs has one scale, so both the other
// channels and these weights would lose precision. Such a channel is divided by a power of 2 where it is made, in a
// norm or a linear layer, and its weights are multiplied by the same: in float32 that changes nothing.
#pragma once

#include "model/config/load_options.h"
#include "model/config/model_config.h"
#include "model/tensors/model_tensors.h"

namespace lffn {

// For layers that become int8 and whose inputs no other layer reads. Reads their weights once.
void balance(const ModelConfig& config, const ModelLoadOptions& options, ModelTensors& model);

}  // namespace lffn
