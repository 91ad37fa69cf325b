// SPDX-License-Identifier: Apache-2.0
// The config of a whole model: what the JSON text in its folder or file says, checked; of lookup layers,
// lookup_config.h tells.
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
#include "model/family.h"

namespace lffn {

constexpr int32_t kMaxClasses = 1 << 20;

enum class FfnKind { kLookup, kVanilla, kNone };
enum class TokenHead { kNone, kClasses, kAnswers };  // what each token's vector becomes

struct ModelConfig {
  std::string text;  // the JSON itself
  const Family* family = &kAuthors;
  int32_t vocab_size = 0;
  int32_t type_vocab_size = 1;  // 0: the model has no token types
  int32_t pad_token_id = 1;
  int32_t max_position_embeddings = 0;
  int32_t num_layers = 0;
  int32_t num_heads = 0;       // of the layer that has most
  std::vector<int32_t> heads;  // of each layer
  int32_t head_size = 0;       // "attention_head_size", hidden_size / num_heads unless given
  int32_t hidden_size = 0;
  int32_t embedding_size = 0;  // numbers of a word's vector
  bool adds_positions = true;  // to words; otherwise attention alone knows where a token is
  DistanceConfig distances;
  int32_t intermediate_size = 0;            // 0: not given, or given for each layer
  std::vector<int32_t> intermediate_sizes;  // of each layer; empty: not given so
  std::vector<bool> has_words;              // of each layer: whether it has rows by word
  int32_t word_rows = 0;                    // "ffn_word_rows"; 0: not given, each word has its own
  int32_t num_classes = 0;                  // 0: not given
  float layer_norm_eps = 0;
  Activation activation = Activation::kGelu;  // of dense FFNs
  Activation class_activation = Activation::kTanh;
  bool ties_decoder = false;       // a decoder in the file counts for nothing
  std::vector<FfnKind> ffn_kinds;  // of each layer; empty: not given, the tensors tell

  TokenHead token_head = TokenHead::kNone;
  std::map<int32_t, std::string> labels;      // of classes, as far as given
  int32_t entailment = -1;                    // the class whose name begins so; -1: none
  bool several_labels = false;                // a text may have several classes at once
  std::optional<Activation> rank_activation;  // what a reranker's own files make of a score

  int64_t attention_size(size_t layer) const { return int64_t{heads[layer]} * head_size; }
  // The largest.
  int64_t attention_size() const { return int64_t{num_heads} * head_size; }
  int64_t position_rows() const { return int64_t{max_position_embeddings} + (family->extra_positions ? 2 : 0); }
  // The row of the first token's position embedding.
  int64_t first_position() const {
    return family->positions == PositionRule::kFromZero ? 0 : pad_token_id + int64_t{1};
  }
  int64_t max_tokens() const { return position_rows() - first_position(); }
};

// All throw Error(LFFN_ERROR_BAD_MODEL) that names the key, or Error(LFFN_ERROR_UNSUPPORTED). Unknown keys are ignored.
ModelConfig parse_model_config(std::string_view json);
// The width of a dense layer, which only these must have.
int32_t require_intermediate_size(const ModelConfig& config, int32_t layer);

}  // namespace lffn
