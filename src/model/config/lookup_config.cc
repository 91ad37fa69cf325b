// SPDX-License-Identifier: Apache-2.0
#include "model/config/lookup_config.h"

#include "runtime/error.h"

namespace lffn {
namespace {

// The keys of a layer's own config, as a model's config has them. Those in `kForEach` may be lists with a value for
// each layer.
constexpr const char* kForEach[] = {"projection_type", "block_size", "ffn_num_table", "ffn_table_size"};
constexpr const char* kForAll[] = {"output_size", "num_probes", "layer_norm", "decay_coeff"};

}  // namespace

LookupConfigs::LookupConfigs(const ModelConfig& config) : config_(config), object_(config.text, "config") {
  const Family& family = *config.family;
  object_.drop_nulls();
  if (family.lookup_norm != LookupNorm::kItsOwn && object_.boolean("layer_norm", false)) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "config: 'layer_norm' is true, but lookups in %s models have no layer norm of their own; set it to false",
         family.name);
  }
  // Looked up once: a config may have many keys, and a model many layers.
  for (const char* key : kForEach) add(key, true);
  add(activation_, true);
  if (values_.back().value == nullptr && family.lookup_activation != nullptr) {
    activation_ = family.lookup_activation;
    add(activation_, false);
  }
  for (const char* key : kForAll) add(key, false);
  linear_ = object_.value("ffn_linear");
}

void LookupConfigs::add(const char* key, bool for_each) { values_.push_back({key, object_.value(key), for_each}); }

const JsonValue* LookupConfigs::of_layer(const char* key, const JsonValue* value, int32_t layer) const {
  if (value == nullptr || value->shape != JsonValue::Shape::kList) return value;
  if (value->items.size() != static_cast<size_t>(config_.num_layers)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' has %zu entries, '%s' is %d", key, value->items.size(),
         config_.family->num_layers, config_.num_layers);
  }
  return &value->items[static_cast<size_t>(layer)];
}

LayerConfig LookupConfigs::layer(int32_t layer) const {
  const Family& family = *config_.family;
  JsonValue own;
  own.shape = JsonValue::Shape::kObject;
  const auto put = [&](const char* name, const JsonValue& value) {
    own.names.emplace_back(name);
    own.items.push_back(value);
  };
  for (const Value& found : values_) {
    const JsonValue* value = found.for_each ? of_layer(found.key, found.value, layer) : found.value;
    if (value != nullptr) put(found.key, *value);
  }
  JsonValue hidden_size;
  hidden_size.scalar.kind = JsonScalar::Kind::kUnsigned;
  hidden_size.scalar.integer = static_cast<uint64_t>(config_.hidden_size);
  put("hidden_size", hidden_size);

  LayerConfig lookup = parse_layer_config(JsonObject(std::move(own), "config"), activation_);
  lookup.layer_norm_eps = config_.layer_norm_eps();
  if (lookup.output_size != config_.hidden_size) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'output_size' is %d, in a model it must be '%s', %d", lookup.output_size,
         family.hidden_size, config_.hidden_size);
  }
  if (family.lookup_norm != LookupNorm::kItsOwn) lookup.layer_norm = family.lookup_norm == LookupNorm::kOfLayer;
  return lookup;
}

bool LookupConfigs::has_linear(int32_t layer) const {
  const JsonValue* value = of_layer("ffn_linear", linear_, layer);
  if (value == nullptr) return false;
  if (value->shape != JsonValue::Shape::kScalar || value->scalar.kind != JsonScalar::Kind::kBoolean) {
    object_.refuse("ffn_linear", "true or false, or a list of these");
  }
  if (value->scalar.boolean && config_.family->lookup_norm != LookupNorm::kNone) {
    fail(LFFN_ERROR_UNSUPPORTED,
         "config: 'ffn_linear' is true, but lookups in %s models have no linear layer beside them; set it to false",
         config_.family->name);
  }
  return value->scalar.boolean;
}

}  // namespace lffn
