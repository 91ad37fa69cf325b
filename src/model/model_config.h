// The config of a whole model: what the JSON text in its folder or file says, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/layer_config.h"

namespace lffn {

enum class FfnKind { kLookup, kVanilla };

struct ModelConfig {
  std::string text;  // the JSON itself
  int32_t vocab_size = 0;
  int32_t type_vocab_size = 1;
  int32_t pad_token_id = 1;
  int32_t max_position_embeddings = 0;
  int32_t num_layers = 0;  // "num_hidden_layers"
  int32_t num_heads = 0;   // "num_attention_heads"
  int32_t head_size = 0;   // "attention_head_size", hidden_size / num_heads unless given
  int32_t hidden_size = 0;
  int32_t num_classes = 0;  // 0: not given
  float layer_norm_eps = 1e-5f;
  std::vector<FfnKind> ffn_kinds;  // of each layer; empty: not given, the tensors tell

  int64_t attention_size() const { return int64_t{num_heads} * head_size; }
  int64_t position_rows() const { return int64_t{max_position_embeddings} + 2; }
  // A token's position embedding is that of position + pad_token_id + 1.
  int64_t max_tokens() const { return position_rows() - pad_token_id - 1; }
};

// Both throw Error(LFFN_ERROR_BAD_MODEL) that names the key. Unknown keys are ignored.
ModelConfig parse_model_config(std::string_view json);
// What only models with such layers must have: the layers' own keys, and the vanilla ones' width.
LayerConfig parse_lookup_config(const ModelConfig& config);
int32_t parse_intermediate_size(const ModelConfig& config);

}  // namespace lffn
