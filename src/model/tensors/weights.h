// SPDX-License-Identifier: Apache-2.0
// The parts of a model as it runs.
#pragma once

#include <memory>
#include <vector>

#include "layer/layer.h"
#include "model/config/load_options.h"
#include "model/tensors/linear.h"
#include "model/tensors/model_tensors.h"
#include "model/tensors/parts.h"
#include "model/tensors/word_rows.h"
#include "model/tensors/words.h"

namespace lffn {

// A LookupFFN layer as a part of a model.
class Lookup {
 public:
  Lookup() = default;
  Lookup(const LookupTensors& tensors, const LoadOptions& options, const Kernels& kernels)
      : layer_(std::make_unique<const Layer>(tensors.config, tensors.tensors, options, kernels)) {}
  static size_t bytes_for(const LookupTensors& tensors, const LoadOptions& options, const Kernels& kernels);

  bool empty() const { return layer_ == nullptr; }
  const Layer& layer() const { return *layer_; }
  int64_t flop_per_row() const { return empty() ? 0 : layer_->info().flop_per_token; }
  int64_t num_parameters() const { return empty() ? 0 : layer_->info().num_parameters; }
  int64_t stored_bytes() const { return empty() ? 0 : static_cast<int64_t>(layer_->info().file_bytes); }
  size_t bytes() const { return empty() ? 0 : layer_->info().memory_bytes; }
  void add_stored(const PartNames& names, std::vector<TensorView>& tensors, std::vector<Memory>& memory) const;

 private:
  std::unique_ptr<const Layer> layer_;
};

struct Packed {
  using Floats = lffn::Floats;
  using Norm = lffn::Norm;
  using Linear = lffn::Linear;
  using Words = WordMatrix;
  using Lookup = lffn::Lookup;
  using RowNumbers = lffn::RowNumbers;
  using WordRows = lffn::WordRows;
};
using LayerWeights = LayerParts<Packed>;
using Weights = ModelParts<Packed>;

// Copies what it needs of the tensors.
Weights pack(const ModelTensors& tensors, const ModelConfig& config, const ModelLoadOptions& options,
             const Kernels& kernels);

}  // namespace lffn
