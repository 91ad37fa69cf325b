// SPDX-License-Identifier: Apache-2.0
// The tensors of a whole model, checked against its config.
#pragma once

#include <string>
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
  LayerConfig lookup_config;             // of a lookup layer, as are the next three
  std::vector<TensorView> lookup_views;  // named as in a layer's file
  LayerTensors lookup;                   // points into lookup_views
  LinearTensors lookup_linear;           // beside it; empty: none
  NormTensors ffn_norm;                  // unless it is the lookup's
  LinearTensors up;                      // of a dense layer, as is the next
  LinearTensors down;
};

struct ModelTensors {
  const TensorView* words = nullptr;
  const TensorView* words_scale = nullptr;  // one per word, of int8 words
  const TensorView* positions = nullptr;
  const TensorView* types = nullptr;  // nullptr: the family has none
  NormTensors embedding_norm;
  std::vector<EncoderLayerTensors> layers;
  bool has_dense_ffn = false;
  NormTensors final_norm;  // of families that have one

  bool has_lm_head = false;
  LinearTensors lm_dense;
  NormTensors lm_norm;
  const TensorView* decoder = nullptr;  // nullptr: the word embeddings
  const TensorView* decoder_scale = nullptr;
  const TensorView* decoder_bias = nullptr;

  int32_t num_classes = 0;  // 0: no classifier
  LinearTensors class_dense;
  LinearTensors class_out;

  std::vector<LinearTensors> modules;  // of a sentence encoder: for each of its modules, empty for those without
};

// Finds every tensor that the config needs, with exactly its shape, a type it may have and finite values; no other
// tensor may be there but those that the family's files are known to hold for nothing. Prefixes do not count, and
// "gamma" and "beta" of a LayerNorm are its weight and bias. `tensors` must outlive the result. Throws
// Error(LFFN_ERROR_BAD_MODEL) that names the tensor.
ModelTensors check_model_tensors(const ModelConfig& config, const std::vector<TensorView>& tensors,
                                 const SentenceSettings& sentence = {});

}  // namespace lffn
