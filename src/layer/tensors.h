// SPDX-License-Identifier: Apache-2.0
// The tensors of one layer, checked against its config.
#pragma once

#include <string>
#include <vector>

#include "format/layer_config.h"
#include "format/tensor_numbers.h"
#include "lookupffn/layer.h"

namespace lffn {

// The names in files. A quantised tensor has its scales in a second tensor.
inline constexpr char kNormGain[] = "LayerNorm.weight";
inline constexpr char kNormShift[] = "LayerNorm.bias";
inline constexpr char kHashWeight[] = "hash.projection.weight";
inline constexpr char kFoldedWeight[] = "hash.projection.folded_weight";
inline constexpr char kFoldedScale[] = "hash.projection.folded_scale";
inline constexpr char kHashBias[] = "hash.projection.bias";
inline constexpr char kTables[] = "tables";
inline constexpr char kTablesScale[] = "tables.scale";
inline constexpr char kBias[] = "bias";

struct LayerTensors {
  const TensorView* norm_gain = nullptr;  // nullptr without layer norm
  const TensorView* norm_shift = nullptr;
  const TensorView* hash_weight = nullptr;    // either this
  const TensorView* folded_weight = nullptr;  // or these two
  const TensorView* folded_scale = nullptr;
  const TensorView* hash_bias = nullptr;
  const TensorView* tables = nullptr;
  const TensorView* tables_scale = nullptr;  // with I8 tables only
  const TensorView* bias = nullptr;
};

// Finds every tensor that the config needs, with exactly its shape, a type it may have and finite values; no other
// tensor may be there. `tensors` must outlive the result. Throws Error(status) that names the tensor.
LayerTensors check_tensors(const LayerConfig& config, const std::vector<TensorView>& tensors, lffn_status status);

// The shape of a projection's weight for a config.
std::vector<int64_t> projection_shape(const LayerConfig& config);

}  // namespace lffn
