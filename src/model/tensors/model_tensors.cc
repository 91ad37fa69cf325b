// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/model_tensors.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <type_traits>

#include "format/layer_config.h"
#include "model/config/lookup_config.h"
#include "model/tensors/tensor_finder.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr lffn_status kStatus = LFFN_ERROR_BAD_MODEL;

// Or moving one would copy its views, and what points into them would dangle.
static_assert(std::is_nothrow_move_constructible_v<LayerTensorParts>);

bool same_content(const TensorView& a, const TensorView& b) {
  if (a.dtype != b.dtype || a.size != b.size) return false;
  uint8_t of_a[4096], of_b[4096];
  for (size_t first = 0; first < a.size; first += sizeof of_a) {
    const size_t count = std::min(sizeof of_a, a.size - first);
    a.read(first, count, of_a);
    b.read(first, count, of_b);
    if (std::memcmp(of_a, of_b, count) != 0) return false;
  }
  return true;
}

const char* name_of(FfnKind kind) {
  return kind == FfnKind::kLookup ? "lookup" : kind == FfnKind::kVanilla ? "vanilla" : "none";
}

FfnKind kind_of(const ModelConfig& config, const TensorFinder& finder, int32_t layer, const std::string& prefix) {
  const Family& family = *config.family;
  const std::string own = prefix + family.lookup, tables = own + kTables, up = prefix + family.up + ".weight";
  const bool lookup = finder.has(tables), vanilla = finder.has(up), bias = finder.has(own + kBias);
  if (!config.ffn_kinds.empty()) {
    const FfnKind kind = config.ffn_kinds[static_cast<size_t>(layer)];
    const bool others = kind == FfnKind::kLookup    ? vanilla && !lookup
                        : kind == FfnKind::kVanilla ? lookup && !vanilla
                                                    : lookup || vanilla;
    if (others) {
      fail(kStatus, "%s%s: 'ffn_kinds' says %s, the tensors are those of the other kind", prefix.c_str(), family.lookup,
           name_of(kind));
    }
    return kind;
  }
  if (lookup) return FfnKind::kLookup;
  if (vanilla) return FfnKind::kVanilla;
  if (!bias) fail(kStatus, "%s: this tensor is missing, and so is %s", tables.c_str(), up.c_str());
  return FfnKind::kNone;
}

// A pre-norm model's norm of a part that has nothing to read it with; files hold it or not.
NormTensors unused_norm(const ModelConfig& config, TensorFinder& finder, const std::string& name) {
  if (config.family->pre_norm && !finder.has(name + ".weight")) return {};
  return finder.norm(name, config.hidden_size, config.layer_norm_eps);
}

void find_attention(const ModelConfig& config, TensorFinder& finder, size_t number, const std::string& prefix,
                    LayerTensorParts& layer) {
  const Family& family = *config.family;
  const int64_t d = config.hidden_size, a = config.attention_size(number);
  if (a == 0) {
    layer.attention_norm = unused_norm(config, finder, prefix + family.attention_norm);
    layer.attention_bias.values = finder.floats(prefix + family.attention_out + ".bias", {d});
    return;
  }
  layer.attention_norm = finder.norm(prefix + family.attention_norm, d, config.layer_norm_eps);
  layer.query_key_value = finder.linear(prefix, {family.query, family.key, family.value}, a, d, true);
  const DistanceConfig& distances = config.distances;
  if (distances.kind == Distances::kDisentangled && !distances.shares_keys) {
    if (distances.to_places) layer.distance_key = finder.linear(prefix, {family.distance_key}, a, d, true);
    if (distances.of_places) layer.distance_query = finder.linear(prefix, {family.distance_query}, a, d, true);
  }
  layer.attention_out = finder.linear(prefix, {family.attention_out}, d, a, true);
}

void find_ffn(const ModelConfig& config, std::optional<LookupConfigs>& lookups, TensorFinder& finder, int32_t number,
              const std::string& prefix, LayerTensorParts& layer) {
  const Family& family = *config.family;
  const int64_t d = config.hidden_size;
  const FfnKind kind = kind_of(config, finder, number, prefix);
  const std::string own = prefix + family.lookup;
  if (config.has_words[static_cast<size_t>(number)]) {
    layer.words = finder.word_rows(own + "words", config.word_rows != 0 ? config.word_rows : config.vocab_size, d);
  }
  if (kind == FfnKind::kNone) {
    if (!config.intermediate_sizes.empty() && config.intermediate_sizes[static_cast<size_t>(number)] != 0) {
      fail(kStatus, "config: '%s' is %d in layer %d, which has no dense FFN", family.intermediate_size,
           config.intermediate_sizes[static_cast<size_t>(number)], number);
    }
    layer.ffn_norm = unused_norm(config, finder, prefix + family.ffn_norm);
    layer.ffn_bias.values = finder.floats(own + kBias, {d});
    return;
  }
  if (kind == FfnKind::kVanilla || family.lookup_norm == LookupNorm::kNone) {
    layer.ffn_norm = finder.norm(prefix + family.ffn_norm, d, config.layer_norm_eps);
  }
  if (kind == FfnKind::kVanilla) {
    const int64_t neurons = require_intermediate_size(config, number);
    layer.up = finder.linear(prefix, {family.up}, neurons, d, true);
    layer.down = finder.linear(prefix, {family.down}, d, neurons, true);
    return;
  }
  if (!lookups) lookups.emplace(config);
  layer.lookup.config = lookups->layer(number);
  layer.lookup.views =
      finder.lookup(own, family.lookup_norm == LookupNorm::kOfLayer ? prefix + family.ffn_norm : own + "LayerNorm");
  try {
    layer.lookup.tensors = check_tensors(layer.lookup.config, layer.lookup.views, kStatus);
  } catch (const Error& error) {
    if (error.status() != kStatus) throw;
    throw Error(error.status(), own + error.what());
  }
  if (lookups->has_linear(number)) layer.linear = finder.linear(own, {"linear"}, d, d, true);
}

// What is summed for each token before the first layer.
void find_embeddings(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  const int64_t d = config.hidden_size, e = config.embedding_size;
  model.words = finder.words(std::string(family.words) + ".weight", config.vocab_size, e);
  if (config.adds_positions) {
    model.positions.values =
        finder.floats(std::string(family.position_embeddings) + ".weight", {config.position_rows(), e});
  }
  if (config.type_vocab_size > 0) {
    model.types.values = finder.floats(std::string(family.types) + ".weight", {config.type_vocab_size, e});
  }
  if (family.embedding_norm != nullptr) {
    const int64_t normed = family.widening == Widening::kAfterNorm ? e : d;
    model.embedding_norm = finder.norm(family.embedding_norm, normed, config.layer_norm_eps);
  }
  if (e != d) model.widener = finder.linear("", {family.widener}, d, e, true, family.widener_has_bias);
}

void find_distances(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  const DistanceConfig& distances = config.distances;
  if (distances.kind != Distances::kNone) {
    const int64_t columns = distances.kind == Distances::kBuckets ? config.num_heads : config.hidden_size;
    model.distances.values = finder.floats(std::string(family.distance_table) + ".weight", {distances.rows, columns});
  }
  if (distances.has_norm)
    model.distance_norm = finder.norm(family.distance_norm, config.hidden_size, config.layer_norm_eps);
}

void find_lm_head(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  const int64_t e = config.embedding_size;
  model.lm_dense = finder.linear("", {family.lm_dense}, e, config.hidden_size, false);
  model.lm_norm = finder.norm(family.lm_norm, e, config.layer_norm_eps);
  const std::string decoder = std::string(family.decoder) + ".weight";
  if (config.ties_decoder) {
    for (const std::string& name : {decoder, decoder + ".scale"}) {
      if (finder.has(name)) finder.take(name);
    }
  } else if (finder.has(decoder) || family.ties_decoder) {
    const WordTensors own = finder.words(decoder, config.vocab_size, e);
    const bool same_scales =
        own.scales == nullptr || (model.words.scales != nullptr && same_content(*own.scales, *model.words.scales));
    if (!same_scales || !same_content(*own.words, *model.words.words)) model.decoder = own;
  }
  // Two names of one vector; either may be missing.
  const TensorView*& found = model.decoder_bias.values;
  for (const char* name : family.decoder_biases) {
    if (name == nullptr || !finder.has(name)) continue;
    const TensorView* bias = finder.floats(name, {config.vocab_size});
    if (found != nullptr && !same_content(*bias, *found)) {
      fail(kStatus, "%s and %s differ, but are two names of one vector", family.decoder_biases[0],
           family.decoder_biases[1]);
    }
    found = bias;
  }
  if (found == nullptr) finder.take(family.decoder_biases[0]);
}

// As many classes as the config or else the tensor has.
LinearTensors find_scores(const ModelConfig& config, TensorFinder& finder, const char* name) {
  const int64_t d = config.hidden_size;
  const std::string weight = std::string(name) + ".weight";
  const TensorView* out = finder.take(weight);
  const int64_t stored = out->shape.empty() ? 0 : out->shape[0];
  if (stored < 1 || stored > kMaxClasses) {
    fail(kStatus, "%s: shape %s, expected [classes,%lld]", weight.c_str(), out->shape_text().c_str(),
         static_cast<long long>(d));
  }
  return finder.linear("", {name}, config.num_classes != 0 ? config.num_classes : stored, d, false);
}

void find_classifier(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  model.class_dense = finder.linear("", {family.class_dense}, config.hidden_size, config.hidden_size, false);
  model.class_out = find_scores(config, finder, family.class_out);
}

void find_token_head(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  if (config.token_head == TokenHead::kClasses) model.token_classes = find_scores(config, finder, family.token_classes);
  if (config.token_head == TokenHead::kAnswers) {
    model.answers = finder.linear("", {family.answers}, 2, config.hidden_size, false);
  }
}

// As many numbers as the tensor has.
void find_token_vectors(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const std::string name = std::string(kTokenVectors) + ".weight";
  if (!finder.has(name)) return;
  const TensorView* weight = finder.take(name);
  const int64_t outputs = weight->shape.empty() ? 0 : weight->shape[0];
  if (outputs < 1 || outputs > kMaxSize) {
    fail(kStatus, "%s: shape %s, expected [numbers,%d]", name.c_str(), weight->shape_text().c_str(),
         config.hidden_size);
  }
  model.token_vectors = finder.linear("", {kTokenVectors}, outputs, config.hidden_size, false,
                                      finder.has(std::string(kTokenVectors) + ".bias"));
}

bool has_lm_head(const Family& family, const TensorFinder& finder) {
  return finder.has_any(std::string(family.lm_dense) + ".") || finder.has_any(std::string(family.lm_norm) + ".") ||
         finder.has_any(std::string(family.decoder) + ".");
}

// Of "classifier.out_proj", whatever begins with "classifier." tells.
bool has_classifier(const Family& family, const TensorFinder& finder) {
  const std::string_view out = family.class_out;
  return finder.has_any(std::string(out.substr(0, out.find('.'))) + ".");
}

}  // namespace

ModelTensors check_model_tensors(const ModelConfig& config, const std::vector<TensorView>& tensors,
                                 const SentenceSettings& sentence) {
  const Family& family = *config.family;
  TensorFinder finder(tensors, family);
  const int64_t d = config.hidden_size;
  const float eps = config.layer_norm_eps;
  ModelTensors model;
  find_embeddings(config, finder, model);
  find_distances(config, finder, model);
  if (config.word_rows != 0) {
    const bool wanted = std::find(config.has_words.begin(), config.has_words.end(), true) != config.has_words.end();
    if (wanted || finder.has(kRowOfWord)) {
      model.row_of_word.values = finder.row_numbers(kRowOfWord, config.vocab_size, config.word_rows);
    }
  }
  std::optional<LookupConfigs> lookups;  // read once there is a layer of them
  for (int32_t i = 0; i < config.num_layers; ++i) {
    const std::string prefix = layer_prefix(family, static_cast<size_t>(i));
    LayerTensorParts layer;
    find_attention(config, finder, static_cast<size_t>(i), prefix, layer);
    find_ffn(config, lookups, finder, i, prefix, layer);
    model.layers.push_back(std::move(layer));
  }
  if (family.final_norm != nullptr) model.final_norm = finder.norm(family.final_norm, d, eps);
  if (has_lm_head(family, finder)) find_lm_head(config, finder, model);
  if (config.token_head != TokenHead::kNone) {
    find_token_head(config, finder, model);
  } else if (has_classifier(family, finder)) {
    find_classifier(config, finder, model);
  }
  find_token_vectors(config, finder, model);
  for (size_t i = 0; i < sentence.modules.size(); ++i) {
    const SentenceSettings::Module& module = sentence.modules[i];
    model.modules.emplace_back();
    if (module.normalise) continue;
    model.modules.back() = finder.linear(module_prefix(i), {"linear"}, module.outputs, module.inputs, false);
  }
  finder.refuse_others(family.ignored, std::size(family.ignored));
  return model;
}

}  // namespace lffn
