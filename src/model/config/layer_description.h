// SPDX-License-Identifier: Apache-2.0
// What each layer of an encoder is, read from the config once. The code that finds tensors, runs layers and reports on
// them knows nothing else of a layer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/json_object.h"
#include "model/config/rotary_config.h"
#include "model/families/family.h"

namespace lffn {

struct ModelConfig;

enum class FfnKind { kLookup, kVanilla, kNone };

struct NormDescription {
  NormKind kind = NormKind::kLayer;
  bool has_shift = true;
  float eps = 0;
};

struct LayerDescription {
  NormPlace norms = NormPlace::kAfter;
  NormDescription norm;
  bool has_attention_norm = true;

  // Attention; without heads it is a bias alone.
  int32_t heads = 0;
  int32_t key_heads = 0;  // of keys and values; heads / key_heads query heads share one
  int32_t head_size = 0;
  bool is_fused = false;  // queries, keys and values share one tensor
  bool has_bias = true, has_out_bias = true;
  bool norms_heads = false;  // of queries and of keys
  float score_scale = 0;
  bool rotates = false;
  RotaryConfig rotary;
  bool is_local = false;          // attends to a window only
  bool is_limited = false;        // queries see only keys in this range:
  int64_t before = 0, after = 0;  // how far before and after a query its keys may be

  // The feed-forward block.
  std::optional<FfnKind> ffn;      // nullopt: the tensors tell
  std::optional<int32_t> neurons;  // of a gated block, of each half; nullopt: not given
  Gate gate = Gate::kNone;
  Activation activation = Activation::kGelu;
  bool has_up_bias = true, has_down_bias = true;
  bool has_word_rows = false;  // rows by word

  int64_t query_size() const { return int64_t{heads} * head_size; }
  int64_t key_size() const { return int64_t{key_heads} * head_size; }
  // What a token's query, keys and values take together.
  int64_t attention_width() const { return query_size() + 2 * key_size(); }
};

// For a config whose sizes have been read. Throws as parse_model_config does.
std::vector<LayerDescription> describe_layers(const JsonObject& object, const ModelConfig& config);

// A whole number in a range, or Error(LFFN_ERROR_BAD_MODEL) that names the key.
void require_range(const char* key, int64_t value, int64_t least, int64_t most);
bool has_bias(const JsonObject& object, const BiasRule& rule);
Activation read_activation(const JsonObject& object, const char* key, Activation otherwise);

}  // namespace lffn
