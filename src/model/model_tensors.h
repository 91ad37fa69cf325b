// The tensors of a whole model, checked against its config.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "layer/tensors.h"
#include "model/model_config.h"

namespace lffn {

struct NormTensors {
  const TensorView* gain = nullptr;
  const TensorView* shift = nullptr;
};

// One linear layer, or several that read the same input, one after the other.
struct LinearTensors {
  int64_t inputs = 0;
  int64_t outputs = 0;
  std::vector<const TensorView*> weights;
  std::vector<const TensorView*> scales;  // one per output, of int8 weights; nullptr for others
  std::vector<const TensorView*> biases;
};

struct EncoderLayerTensors {
  NormTensors attention_norm;
  LinearTensors query_key_value;
  LinearTensors attention_out;
  FfnKind kind = FfnKind::kLookup;
  std::vector<TensorView> lookup_views;  // named as in a layer's file
  LayerTensors lookup;                   // points into lookup_views
  NormTensors ffn_norm;                  // vanilla only, as are the next two
  LinearTensors up;
  LinearTensors down;
};

struct ModelTensors {
  const TensorView* words = nullptr;
  const TensorView* positions = nullptr;
  const TensorView* types = nullptr;
  NormTensors embedding_norm;
  std::vector<EncoderLayerTensors> layers;
  LayerConfig lookup;             // if any layer is of that kind
  int32_t intermediate_size = 0;  // if any layer is vanilla
  NormTensors final_norm;

  bool has_lm_head = false;
  LinearTensors lm_dense;
  NormTensors lm_norm;
  const TensorView* decoder = nullptr;  // nullptr: the word embeddings
  const TensorView* decoder_bias = nullptr;

  int32_t num_classes = 0;  // 0: no classifier
  LinearTensors class_dense;
  LinearTensors class_out;
};

// Finds every tensor that the config needs, with exactly its shape, a type it may have and finite values; no other
// tensor may be there. Prefixes "model." and "roberta." do not count. `tensors` must outlive the result. Throws
// Error(LFFN_ERROR_BAD_MODEL) that names the tensor.
ModelTensors check_model_tensors(const ModelConfig& config, const std::vector<TensorView>& tensors);

}  // namespace lffn
