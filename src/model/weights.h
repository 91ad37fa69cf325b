// SPDX-License-Identifier: Apache-2.0
// The parts of a model as it runs.
#pragma once

#include "model/floats.h"
#include "model/linear.h"
#include "model/lookup.h"
#include "model/parts.h"
#include "model/word_rows.h"
#include "model/words.h"

namespace lffn {

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
Weights pack(const ModelTensors& tensors, const Family& family, const LoadOptions& options, const Kernels& kernels);

}  // namespace lffn
