// SPDX-License-Identifier: Apache-2.0
// Before weights become int8: trained encoders have channels that are far larger than the others and that the next
// layer reads with far smaller weights. Rows of weights and of inputs have one step each, so that both would lose what
// they are told apart by. Such a channel is divided where it is made, in a norm or a linear layer, and its weights are
// multiplied by as much: by a power of 2, so that float32 would not notice.
#pragma once

#include "model/config/load_options.h"
#include "model/config/model_config.h"
#include "model/tensors/model_tensors.h"

namespace lffn {

// Of the layers that become int8 and read what nobody else does; reads their weights once.
void balance(const ModelConfig& config, const ModelLoadOptions& options, ModelTensors& model);

}  // namespace lffn
