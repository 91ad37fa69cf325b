// SPDX-License-Identifier: Apache-2.0
// The config of a whole model: what the JSON text in its folder or file says, checked. lookup_config.h reads what it
// says about lookup layers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json_object.h"
#include "format/layer_config.h"
#include "model/config/distance_config.h"
#include "model/config/layer_description.h"
#include "model/families/family.h"

namespace lffn {

constexpr int32_t kMaxClasses = 1 << 20;

enum class TokenHead { kNone, kClasses, kAnswers };  // what each token's vector becomes

struct ModelConfig {
  std::string text;  // the JSON itself
  const Family* family = &kAuthors;
  int32_t vocab_size = 0;
  int32_t type_vocab_size = 1;  // 0: the model has no token types
  int32_t pad_token_id = 1;
  int32_t max_position_embeddings = 0;
  int32_t num_layers = 0;
  int32_t num_heads = 0;  // of the layer that has the most
  int32_t head_size = 0;
  int32_t hidden_size = 0;
  int32_t embedding_size = 0;  // numbers of a word's vector
  bool adds_positions = true;  // to words; otherwise attention alone knows where a token is
  DistanceConfig distances;
  std::vector<LayerDescription> layers;
  bool neurons_are_listed = false;  // for each layer
  int32_t word_rows = 0;            // "ffn_word_rows"; 0: not given, each word has its own
  int32_t num_classes = 0;          // 0: not given
  // Heads of the model.
  bool has_plain_decoder = false;  // a language model's head without a layer before
  Activation lm_activation = Activation::kGelu;
  bool has_lm_dense_bias = true, has_decoder_bias = true, has_class_dense_bias = true, has_class_out_bias = true;
  bool may_have_classes = true;
  Activation class_activation = Activation::kTanh;
  ClassPooling class_pooling = ClassPooling::kFirst;
  int32_t class_pad_id = -1;  // a token that ClassPooling::kLast skips at the end; -1: none
  bool ties_decoder = false;  // a decoder in the file is ignored

  TokenHead token_head = TokenHead::kNone;
  std::map<int32_t, std::string> labels;      // of classes, as far as given
  int32_t entailment = -1;                    // the class whose name begins with "entail"; -1: none
  bool several_labels = false;                // a text may have several classes at once
  std::optional<Activation> rank_activation;  // what a reranker's files apply to a score

  const NormDescription& norm() const { return layers[0].norm; }  // for all norms outside of layers
  float layer_norm_eps() const { return norm().eps; }
  // The largest of all layers', in numbers per token: of the queries; of queries, keys and values together.
  int64_t attention_size() const { return int64_t{num_heads} * head_size; }
  int64_t attention_width() const;
  int64_t position_rows() const { return int64_t{max_position_embeddings} + (family->extra_positions ? 2 : 0); }
  // The row of the first token's position embedding.
  int64_t first_position() const {
    return family->positions == PositionRule::kFromZero ? 0 : pad_token_id + int64_t{1};
  }
  int64_t max_tokens() const { return position_rows() - first_position(); }
};

// All throw Error(LFFN_ERROR_BAD_MODEL) that names the key, or Error(LFFN_ERROR_UNSUPPORTED). Unknown keys are ignored.
ModelConfig parse_model_config(std::string_view json);
// The neurons of a dense layer; only dense layers must have them.
int32_t require_neurons(const ModelConfig& config, int32_t layer);

}  // namespace lffn
