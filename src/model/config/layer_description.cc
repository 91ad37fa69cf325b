// SPDX-License-Identifier: Apache-2.0
#include "model/config/layer_description.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "format/layer_config.h"
#include "format/utf8.h"
#include "model/config/activations.h"
#include "model/config/model_config.h"
#include "runtime/error.h"

namespace lffn {
namespace {

using Layers = std::vector<LayerDescription>;

bool is_list(const JsonValue* value) { return value != nullptr && value->shape == JsonValue::Shape::kList; }

void check_length(const char* key, const JsonValue& list, const ModelConfig& config) {
  if (list.items.size() != static_cast<size_t>(config.num_layers)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' has %zu entries, '%s' is %d", key, list.items.size(),
         config.family->num_layers, config.num_layers);
  }
}

// One number for each layer, 0 or more.
std::vector<int32_t> read_list(const JsonObject& object, const char* key, const ModelConfig& config) {
  const JsonValue& list = *object.value(key);
  check_length(key, list, config);
  std::vector<int32_t> numbers;
  for (const JsonValue& item : list.items) {
    if (item.shape != JsonValue::Shape::kScalar || item.scalar.kind != JsonScalar::Kind::kUnsigned ||
        item.scalar.integer > static_cast<uint64_t>(kMaxSize)) {
      object.refuse(key, "whole numbers from 0 to 2^20, one for each layer");
    }
    numbers.push_back(static_cast<int32_t>(item.scalar.integer));
  }
  return numbers;
}

// Key heads are shared evenly by the query heads.
void read_key_heads(const JsonObject& object, const Family& family, LayerDescription& layer) {
  if (family.num_key_heads == nullptr) return;
  layer.key_heads = object.integer(family.num_key_heads, layer.heads);
  if (layer.key_heads < 1 || layer.heads % layer.key_heads != 0) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %d, which does not divide '%s', %d", family.num_key_heads,
         layer.key_heads, family.num_heads, layer.heads);
  }
}

void read_heads(const JsonObject& object, const ModelConfig& config, Layers& layers) {
  const Family& family = *config.family;
  int32_t size = 0;
  if (is_list(object.value(family.num_heads))) {
    if (family.num_key_heads != nullptr) {
      fail(LFFN_ERROR_UNSUPPORTED,
           "config: '%s' is a list, but in %s models all layers have as many heads; give a number", family.num_heads,
           family.name);
    }
    const std::vector<int32_t> heads = read_list(object, family.num_heads, config);
    for (size_t i = 0; i < layers.size(); ++i) layers[i].heads = layers[i].key_heads = heads[i];
    size = object.integer(family.head_size);
  } else {
    const int32_t heads = object.integer(family.num_heads);
    require_range(family.num_heads, heads, 1, kMaxSize);
    const bool divides = config.hidden_size % heads == 0;
    size = object.integer(family.head_size, family.usual_head_size > 0 ? family.usual_head_size
                                            : divides                  ? config.hidden_size / heads
                                                                       : 0);
    if (size == 0 && !divides) {
      fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %d, which does not divide '%s', %d", family.num_heads, heads,
           family.hidden_size, config.hidden_size);
    }
    for (LayerDescription& layer : layers) {
      layer.heads = layer.key_heads = heads;
      read_key_heads(object, family, layer);
    }
  }
  require_range(family.head_size, size, 1, kMaxSize);
  for (LayerDescription& layer : layers) {
    layer.head_size = size;
    require_range("num_attention_heads times attention_head_size", layer.query_size(), 0, kMaxSize);
  }
}

void read_neurons(const JsonObject& object, const ModelConfig& config, Layers& layers) {
  const char* key = config.family->intermediate_size;
  const JsonValue* value = object.value(key);
  if (value == nullptr) return;
  if (is_list(value)) {
    const std::vector<int32_t> sizes = read_list(object, key, config);
    for (size_t i = 0; i < layers.size(); ++i) layers[i].neurons = sizes[i];
  } else {
    for (LayerDescription& layer : layers) layer.neurons = object.integer(key);
  }
}

void read_kinds(const JsonObject& object, const ModelConfig& config, Layers& layers) {
  const JsonValue* kinds = object.value("ffn_kinds");
  if (kinds == nullptr) return;
  constexpr char kWanted[] = "a list of \"lookup\", \"vanilla\" and \"none\"";
  const std::pair<const char*, FfnKind> known[] = {
      {"lookup", FfnKind::kLookup}, {"vanilla", FfnKind::kVanilla}, {"none", FfnKind::kNone}};
  if (!is_list(kinds)) object.refuse("ffn_kinds", kWanted);
  if (kinds->items.size() != layers.size()) {
    fail(LFFN_ERROR_BAD_MODEL, "config: 'ffn_kinds' names %zu layers, '%s' is %d", kinds->items.size(),
         config.family->num_layers, config.num_layers);
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    const JsonValue& kind = kinds->items[i];
    const auto* found = std::find_if(std::begin(known), std::end(known), [&](const auto& entry) {
      return kind.is_text() && kind.scalar.text == entry.first;
    });
    if (found == std::end(known)) object.refuse("ffn_kinds", kWanted);
    layers[i].ffn = found->second;
  }
}

void read_word_rows(const JsonObject& object, const ModelConfig& config, Layers& layers) {
  const JsonValue* words = object.value("ffn_words");
  if (words == nullptr) return;
  if (is_list(words)) check_length("ffn_words", *words, config);
  for (size_t i = 0; i < layers.size(); ++i) {
    const JsonValue& value = is_list(words) ? words->items[i] : *words;
    if (value.shape != JsonValue::Shape::kScalar || value.scalar.kind != JsonScalar::Kind::kBoolean) {
      object.refuse("ffn_words", "true or false, or a list of these");
    }
    layers[i].has_word_rows = value.scalar.boolean;
  }
}

// The config lists each layer's kind of attention, or says that every n-th layer is global.
void read_kinds_of_attention(const JsonObject& object, const ModelConfig& config, Layers& layers) {
  const Family& family = *config.family;
  if (const JsonValue* types = object.value("layer_types"); types != nullptr && family.rotates) {
    if (!is_list(types)) object.refuse("layer_types", "a list with a text for each layer");
    check_length("layer_types", *types, config);
    for (size_t i = 0; i < layers.size(); ++i) {
      const JsonValue& type = types->items[i];
      const std::string name = type.is_text() ? type.scalar.text : "";
      layers[i].is_local = name == "sliding_attention";
      if (name != "full_attention" && !(layers[i].is_local && family.window != nullptr)) {
        fail(LFFN_ERROR_UNSUPPORTED, "config: 'layer_types' has %s, which is not supported in %s models",
             in_quotes(name).c_str(), family.name);
      }
    }
    return;
  }
  if (family.window == nullptr) return;
  const int32_t every = object.integer(family.global_every, family.usual_global_every);
  require_range(family.global_every, every, 1, kMaxSize);
  for (int32_t i = 0; i < config.num_layers; ++i) {
    layers[static_cast<size_t>(i)].is_local = (family.global_is_first ? i : i + 1) % every != 0;
  }
}

void read_reach(const JsonObject& object, const ModelConfig& config, Layers& layers) {
  const Family& family = *config.family;
  bool causal = family.is_causal;
  if (family.bidirectional != nullptr) causal = !object.boolean(family.bidirectional, !causal);
  read_kinds_of_attention(object, config, layers);
  const bool any_local = std::any_of(layers.begin(), layers.end(), [](const auto& layer) { return layer.is_local; });
  int64_t window = 0;
  if (any_local) {
    window = object.integer(family.window, family.usual_window);
    require_range(family.window, window, 1, INT32_MAX);
  }
  for (LayerDescription& layer : layers) {
    layer.is_limited = causal || layer.is_local;
    layer.before = config.max_position_embeddings;
    if (layer.is_local)
      layer.before = causal && family.window_rule == WindowRule::kHalfOrBefore ? window - 1 : window / 2;
    layer.after = causal ? 0 : layer.before;
  }
}

float norm_eps(const JsonObject& object, const Family& family) {
  const float eps = family.layer_norm_eps_key != nullptr
                        ? object.number(family.layer_norm_eps_key, family.layer_norm_eps)
                        : family.layer_norm_eps;
  if (eps < 0) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %g, allowed is any number from 0", family.layer_norm_eps_key,
         double{eps});
  }
  return eps;
}

// Some files name the gated block, such as "swiglu", instead of its activation.
Activation read_ffn_activation(const JsonObject& object, const Family& family) {
  const JsonValue* value = family.activation != nullptr ? object.value(family.activation) : nullptr;
  if (value != nullptr && value->is_text() && family.gate != Gate::kNone) {
    if (value->scalar.text == "swiglu") return Activation::kSilu;
    if (value->scalar.text == "geglu") return Activation::kGelu;
  }
  return read_activation(object, family.activation, family.usual_activation);
}

// What all layers of a model share.
LayerDescription common_layer(const JsonObject& object, const ModelConfig& config) {
  const Family& family = *config.family;
  LayerDescription layer;
  layer.norms = family.norms;
  layer.norm = {family.norm_kind, has_bias(object, {family.norm_bias_key, family.has_norm_shift}),
                norm_eps(object, family)};
  layer.is_fused = family.query_key_value != nullptr &&
                   (family.unpacked_when_false == nullptr || object.boolean(family.unpacked_when_false, true));
  layer.has_bias = has_bias(object, family.attention_bias);
  layer.has_out_bias = has_bias(object, family.attention_out_bias);
  layer.norms_heads = family.query_norm != nullptr;
  layer.rotates = family.rotates;
  layer.gate = family.gate;
  layer.activation = read_ffn_activation(object, family);
  layer.has_up_bias = has_bias(object, family.up_bias);
  layer.has_down_bias = has_bias(object, family.down_bias);
  return layer;
}

}  // namespace

std::vector<LayerDescription> describe_layers(const JsonObject& object, const ModelConfig& config) {
  const Family& family = *config.family;
  Layers layers(static_cast<size_t>(config.num_layers), common_layer(object, config));
  layers[0].has_attention_norm = family.norms_first_attention;
  read_heads(object, config, layers);
  read_neurons(object, config, layers);
  read_kinds(object, config, layers);
  read_word_rows(object, config, layers);
  read_reach(object, config, layers);
  const auto size = static_cast<float>(layers[0].head_size * config.distances.score_terms);
  const float divisor = family.score_scale != nullptr ? object.number(family.score_scale, size) : size;
  if (!(divisor > 0)) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %g, allowed is any number above 0", family.score_scale,
         double{divisor});
  }
  for (LayerDescription& layer : layers) layer.score_scale = 1.0f / std::sqrt(divisor);
  if (!family.rotates) return layers;
  refuse_other_rotations(object);
  if (layers[0].head_size % 2 != 0) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %d, but halves of heads are rotated; it must be even", family.head_size,
         layers[0].head_size);
  }
  for (const bool local : {false, true}) {
    if (std::none_of(layers.begin(), layers.end(), [&](const auto& layer) { return layer.is_local == local; }))
      continue;
    const RotaryConfig rotary = read_rotary(object, family, local);
    for (LayerDescription& layer : layers) {
      if (layer.is_local == local) layer.rotary = rotary;
    }
  }
  return layers;
}

bool has_bias(const JsonObject& object, const BiasRule& rule) {
  return rule.key != nullptr ? object.boolean(rule.key, rule.otherwise) : rule.otherwise;
}

void require_range(const char* key, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most) {
    fail(LFFN_ERROR_BAD_MODEL, "config: '%s' is %lld, allowed is %lld to %lld", key, static_cast<long long>(value),
         static_cast<long long>(least), static_cast<long long>(most));
  }
}

Activation read_activation(const JsonObject& object, const char* key, Activation otherwise) {
  const JsonValue* value = key != nullptr ? object.value(key) : nullptr;
  if (value == nullptr) return otherwise;
  const ActivationRow* row = value->is_text() ? find_hidden_act(value->scalar.text) : nullptr;
  if (row == nullptr) object.refuse(key, "one of " + hidden_act_names());
  return row->activation;
}

}  // namespace lffn
