// SPDX-License-Identifier: Apache-2.0
// What a model's config says about its lookup layers.
#pragma once

#include <cstdint>
#include <vector>

#include "format/json_object.h"
#include "format/layer_config.h"
#include "model/config/model_config.h"

namespace lffn {

// Reads the text once for all layers. Throws as parse_model_config does.
class LookupConfigs {
 public:
  explicit LookupConfigs(const ModelConfig& config);
  LookupConfigs(const LookupConfigs&) = delete;  // it points into itself
  LookupConfigs& operator=(const LookupConfigs&) = delete;

  LayerConfig layer(int32_t layer) const;
  // Whether a linear layer stands beside this layer's lookups.
  bool has_linear(int32_t layer) const;

 private:
  struct Value {
    const char* key;
    const JsonValue* value;  // nullptr: missing
    bool for_each;           // it may be a list with a value for each layer
  };
  void add(const char* key, bool for_each);
  const JsonValue* of_layer(const char* key, const JsonValue* value, int32_t layer) const;

  const ModelConfig& config_;
  JsonObject object_;
  std::vector<Value> values_;
  const char* activation_ = "ffn_activation";  // the key of the activation
  const JsonValue* linear_ = nullptr;
};

}  // namespace lffn
