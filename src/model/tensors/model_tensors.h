// SPDX-License-Identifier: Apache-2.0
// The tensors of a whole model, checked against its config.
#pragma once

#include <string>
#include <vector>

#include "layer/tensors.h"
#include "model/config/model_config.h"
#include "model/tensors/parts.h"

namespace lffn {

struct FloatTensor {
  const TensorView* values = nullptr;
  bool empty() const { return values == nullptr; }
};

struct NormTensors {
  int64_t size = 0;
  float eps = 0;
  NormKind kind = NormKind::kLayer;
  const TensorView* gain = nullptr;
  const TensorView* shift = nullptr;  // may be missing
  std::vector<float> divisors;        // of both, see balance.h; empty: 1
  bool empty() const { return gain == nullptr; }
};

// One linear layer, or several that read the same input, one after the other.
struct LinearTensors {
  int64_t inputs = 0;
  int64_t outputs = 0;
  bool may_be_int8 = false;
  std::vector<const TensorView*> weights;
  std::vector<const TensorView*> scales;             // one per output, of int8 weights; nullptr for others
  std::vector<const TensorView*> biases;             // nullptr: none
  std::vector<float> input_factors, output_factors;  // of weights that become int8, see balance.h; empty: 1
  bool empty() const { return weights.empty(); }
};

struct WordTensors {
  const TensorView* words = nullptr;
  const TensorView* scales = nullptr;  // one per word, of int8 words
  bool empty() const { return words == nullptr; }
};

struct LookupTensors {
  LayerConfig config;
  std::vector<TensorView> views;  // named as in a layer's file
  LayerTensors tensors;           // points into views
  bool empty() const { return tensors.tables == nullptr; }
};

struct RowNumberTensor {
  const TensorView* values = nullptr;
  bool empty() const { return values == nullptr; }
};

struct WordRowTensors {
  const TensorView* rows = nullptr;
  const TensorView* scales = nullptr;  // one per row, of I8 and U8 rows
  int64_t size = 0;                    // numbers of a row, two of them in a byte of U8
  bool empty() const { return rows == nullptr; }
};

struct Found {
  using Floats = FloatTensor;
  using Norm = NormTensors;
  using Linear = LinearTensors;
  using Words = WordTensors;
  using Lookup = LookupTensors;
  using RowNumbers = RowNumberTensor;
  using WordRows = WordRowTensors;
};
using LayerTensorParts = LayerParts<Found>;
using ModelTensors = ModelParts<Found>;

// Finds every tensor that the config needs, and checks that it has exactly the right shape, a permitted type and finite
// values. There may be no other tensors, except those that the family's files are known to have without using them.
// Prefixes do not count, and "gamma" and "beta" of a LayerNorm are its weight and bias. `tensors` must outlive the
// result. Throws Error(LFFN_ERROR_BAD_MODEL) that names the tensor.
ModelTensors check_model_tensors(const ModelConfig& config, const std::vector<TensorView>& tensors,
                                 const SentenceSettings& sentence = {});

}  // namespace lffn
