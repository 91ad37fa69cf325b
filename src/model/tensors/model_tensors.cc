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

// Otherwise moving one would copy its views, and pointers into them would dangle.
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

FfnKind kind_of(const ModelConfig& config, const TensorFinder& finder, size_t layer, const std::string& prefix) {
  const Family& family = *config.family;
  const std::string own = prefix + family.lookup, tables = own + kTables, up = prefix + family.up + ".weight";
  const bool lookup = finder.has(tables), vanilla = finder.has(up), bias = finder.has(own + kBias);
  if (const std::optional<FfnKind> kind = config.layers[layer].ffn; kind.has_value()) {
    const bool others = *kind == FfnKind::kLookup    ? vanilla && !lookup
                        : *kind == FfnKind::kVanilla ? lookup && !vanilla
                                                     : lookup || vanilla;
    if (others) {
      fail(kStatus, "%s%s: 'ffn_kinds' says %s, the tensors are those of the other kind", prefix.c_str(), family.lookup,
           name_of(*kind));
    }
    return *kind;
  }
  if (lookup) return FfnKind::kLookup;
  if (vanilla) return FfnKind::kVanilla;
  if (!bias) fail(kStatus, "%s: this tensor is missing, and so is %s", tables.c_str(), up.c_str());
  return FfnKind::kNone;
}

// Finds the tensors of one layer.
class LayerFinder {
 public:
  LayerFinder(const ModelConfig& config, TensorFinder& finder, size_t number)
      : config_(config),
        family_(*config.family),
        description_(config.layers[number]),
        finder_(finder),
        number_(number),
        prefix_(layer_prefix(family_, number)),
        d_(config.hidden_size) {}

  LayerTensorParts find(std::optional<LookupConfigs>& lookups) {
    find_attention();
    find_ffn(lookups);
    return std::move(layer_);
  }

 private:
  NormTensors norm(const char* name) { return finder_.norm(prefix_ + name, d_, description_.norm); }
  // The norm of a part without weights. Where norms come before parts, a file need not have it.
  NormTensors unused_norm(const char* name) {
    if (description_.norms != NormPlace::kAfter && !finder_.has(prefix_ + name + ".weight")) return {};
    return norm(name);
  }

  void find_attention() {
    const int64_t a = description_.query_size(), k = description_.key_size();
    if (a == 0) {
      layer_.attention_norm = unused_norm(family_.attention_norm);
      layer_.attention_bias.values = finder_.floats(prefix_ + family_.attention_out + ".bias", {d_});
      return;
    }
    if (description_.has_attention_norm) layer_.attention_norm = norm(family_.attention_norm);
    if (description_.norms == NormPlace::kAround) layer_.attention_result_norm = norm(family_.attention_result_norm);
    const bool bias = description_.has_bias;
    if (description_.is_fused) {
      layer_.query_key_value = finder_.linear(prefix_ + family_.query_key_value, a + 2 * k, d_, true, bias);
    } else {
      layer_.query_key_value = finder_.linear(prefix_ + family_.query, a, d_, true, bias);
      finder_.add_linear(layer_.query_key_value, prefix_ + family_.key, k, bias);
      finder_.add_linear(layer_.query_key_value, prefix_ + family_.value, k, bias);
    }
    if (description_.norms_heads) {
      layer_.query_norm = finder_.norm(prefix_ + family_.query_norm, description_.head_size, description_.norm);
      layer_.key_norm = finder_.norm(prefix_ + family_.key_norm, description_.head_size, description_.norm);
    }
    const DistanceConfig& distances = config_.distances;
    if (distances.kind == Distances::kDisentangled && !distances.shares_keys) {
      if (distances.to_places) layer_.distance_key = finder_.linear(prefix_ + family_.distance_key, a, d_, true);
      if (distances.of_places) layer_.distance_query = finder_.linear(prefix_ + family_.distance_query, a, d_, true);
    }
    layer_.attention_out = finder_.linear(prefix_ + family_.attention_out, d_, a, true, description_.has_out_bias);
  }

  void find_ffn(std::optional<LookupConfigs>& lookups) {
    const FfnKind kind = kind_of(config_, finder_, number_, prefix_);
    const std::string own = prefix_ + family_.lookup;
    if (description_.has_word_rows) {
      layer_.word_rows =
          finder_.word_rows(own + "words", config_.word_rows != 0 ? config_.word_rows : config_.vocab_size, d_);
    }
    if (kind == FfnKind::kNone) return find_bias(own);
    if (kind == FfnKind::kVanilla || family_.lookup_norm == LookupNorm::kNone) layer_.ffn_norm = norm(family_.ffn_norm);
    if (description_.norms == NormPlace::kAround) layer_.ffn_result_norm = norm(family_.ffn_result_norm);
    if (kind == FfnKind::kVanilla) return find_neurons();
    if (!lookups) lookups.emplace(config_);
    const auto number = static_cast<int32_t>(number_);
    layer_.lookup.config = lookups->layer(number);
    layer_.lookup.views = finder_.lookup(
        own, family_.lookup_norm == LookupNorm::kOfLayer ? prefix_ + family_.ffn_norm : own + "LayerNorm");
    try {
      layer_.lookup.tensors = check_tensors(layer_.lookup.config, layer_.lookup.views, kStatus);
    } catch (const Error& error) {
      if (error.status() != kStatus) throw;
      throw Error(error.status(), own + error.what());
    }
    if (lookups->has_linear(number)) layer_.linear = finder_.linear(own + "linear", d_, d_, true);
  }

  void find_bias(const std::string& own) {
    if (description_.neurons.value_or(0) != 0 && config_.neurons_are_listed) {
      fail(kStatus, "config: '%s' is %d in layer %zu, which has no dense FFN", family_.intermediate_size,
           *description_.neurons, number_);
    }
    layer_.ffn_norm = unused_norm(family_.ffn_norm);
    layer_.ffn_bias.values = finder_.floats(own + kBias, {d_});
  }

  void find_neurons() {
    const int64_t neurons = require_neurons(config_, static_cast<int32_t>(number_));
    const bool bias = description_.has_up_bias;
    if (description_.gate == Gate::kNone) {
      layer_.up = finder_.linear(prefix_ + family_.up, neurons, d_, true, bias);
    } else if (family_.up_second == nullptr) {
      layer_.up = finder_.linear(prefix_ + family_.up, 2 * neurons, d_, true, bias);
    } else {
      layer_.up = finder_.linear(prefix_ + family_.up, neurons, d_, true, bias);
      finder_.add_linear(layer_.up, prefix_ + family_.up_second, neurons, bias);
    }
    layer_.down = finder_.linear(prefix_ + family_.down, d_, neurons, true, description_.has_down_bias);
  }

  const ModelConfig& config_;
  const Family& family_;
  const LayerDescription& description_;
  TensorFinder& finder_;
  const size_t number_;
  const std::string prefix_;
  const int64_t d_;
  LayerTensorParts layer_;
};

// Finds the embeddings, which are summed for each token before the first layer.
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
    model.embedding_norm = finder.norm(family.embedding_norm, normed, config.norm());
  }
  if (e != d) model.widener = finder.linear(family.widener, d, e, true, family.widener_has_bias);
}

void find_distances(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  const DistanceConfig& distances = config.distances;
  if (distances.kind != Distances::kNone) {
    const int64_t columns = distances.kind == Distances::kBuckets ? config.num_heads : config.hidden_size;
    model.distances.values = finder.floats(std::string(family.distance_table) + ".weight", {distances.rows, columns});
  }
  if (distances.has_norm) model.distance_norm = finder.norm(family.distance_norm, config.hidden_size, config.norm());
}

void find_lm_head(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  const int64_t e = config.embedding_size;
  if (family.lm_dense != nullptr) {
    model.lm_dense = finder.linear(family.lm_dense, e, config.hidden_size, false, config.has_lm_dense_bias);
    model.lm_norm = finder.norm(family.lm_norm, e, config.norm());
  }
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
  if (found == nullptr && family.decoder_biases[0] != nullptr && config.has_decoder_bias) {
    finder.take(family.decoder_biases[0]);
  }
}

// The number of classes comes from the config, or else from the tensor.
LinearTensors find_scores(const ModelConfig& config, TensorFinder& finder, const char* name, bool has_bias) {
  const int64_t d = config.hidden_size;
  const std::string weight = std::string(name) + ".weight";
  const TensorView* out = finder.take(weight);
  const int64_t stored = out->shape.empty() ? 0 : out->shape[0];
  if (stored < 1 || stored > kMaxClasses) {
    fail(kStatus, "%s: shape %s, expected [classes,%lld]", weight.c_str(), out->shape_text().c_str(),
         static_cast<long long>(d));
  }
  return finder.linear(name, config.num_classes != 0 ? config.num_classes : stored, d, false, has_bias);
}

void find_class_dense(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  const int64_t d = config.hidden_size;
  if (family.class_dense != nullptr) {
    model.class_dense = finder.linear(family.class_dense, d, d, false, config.has_class_dense_bias);
  }
  if (family.class_norm != nullptr) model.class_norm = finder.norm(family.class_norm, d, config.norm());
}

void find_classifier(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  find_class_dense(config, finder, model);
  model.class_out = find_scores(config, finder, family.class_out, config.has_class_out_bias);
}

void find_token_head(const ModelConfig& config, TensorFinder& finder, ModelTensors& model) {
  const Family& family = *config.family;
  if (family.token_heads_read_classes) find_class_dense(config, finder, model);
  if (config.token_head == TokenHead::kClasses) {
    // A family whose text classifier has no bias may have one in its token classifier.
    const bool has_bias = config.has_class_out_bias || finder.has(std::string(family.token_classes) + ".bias");
    model.token_classes = find_scores(config, finder, family.token_classes, has_bias);
  }
  if (config.token_head == TokenHead::kAnswers) {
    model.answers = finder.linear(family.answers, 2, config.hidden_size, false);
  }
}

// The size of a token's vector comes from the tensor if nothing else says it.
void find_token_vectors(const ModelConfig& config, const SentenceSettings& sentence, TensorFinder& finder,
                        ModelTensors& model) {
  const std::vector<LateSettings::Layer>& layers = sentence.late.layers;
  if (sentence.sparse.of_tokens) model.sparse_tokens = finder.linear(kSparseTokens, 1, config.hidden_size, false);
  const std::string name = std::string(kTokenVectors) + ".weight";
  if (!finder.has(name) && layers.empty()) return;
  const TensorView* weight = finder.take(name);
  const int64_t outputs = weight->shape.empty() ? 0 : weight->shape[0];
  if (outputs < 1 || outputs > kMaxSize || (!layers.empty() && outputs != layers[0].outputs)) {
    fail(kStatus, "%s: shape %s, expected [numbers,%d]", name.c_str(), weight->shape_text().c_str(),
         config.hidden_size);
  }
  model.token_vectors = finder.linear(kTokenVectors, outputs, config.hidden_size, false,
                                      finder.has(std::string(kTokenVectors) + ".bias"));
  for (size_t i = 0; i < layers.size(); ++i) {
    const LateSettings::Layer& layer = layers[i];
    const int64_t inputs = i == 0 ? config.hidden_size : layers[i - 1].outputs;
    if (layer.inputs != inputs) {
      fail(kStatus, "a Dense module of tokens' vectors takes %d numbers, but %lld come before it", layer.inputs,
           static_cast<long long>(inputs));
    }
    if (i > 0) {
      model.later_vectors.push_back(
          finder.linear(late_prefix(i) + "linear", layer.outputs, inputs, false, layer.has_bias));
    }
    model.vector_residuals.emplace_back();
    if (layer.residual != LateSettings::Residual::kProjected) continue;
    model.vector_residuals.back() = finder.linear(late_prefix(i) + "residual", layer.outputs, inputs, false, false);
  }
}

bool has_lm_head(const ModelConfig& config, const TensorFinder& finder) {
  const Family& family = *config.family;
  if (family.lm_dense == nullptr) return config.has_plain_decoder;
  // If both heads share a layer, the tensors after it tell which head it is.
  if (family.lm_dense == family.class_dense && finder.has_any(std::string(family.class_out) + ".")) return false;
  if (config.token_head != TokenHead::kNone && family.token_heads_read_classes) return false;
  return finder.has_any(std::string(family.lm_dense) + ".") || finder.has_any(std::string(family.lm_norm) + ".") ||
         finder.has_any(std::string(family.decoder) + ".");
}

// There is a classifier if any tensor's name begins with the first part of class_out's, such as "classifier.".
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
  ModelTensors model;
  find_embeddings(config, finder, model);
  find_distances(config, finder, model);
  if (config.word_rows != 0) {
    const bool wanted =
        std::any_of(config.layers.begin(), config.layers.end(), [](const auto& layer) { return layer.has_word_rows; });
    if (wanted || finder.has(kRowOfWord)) {
      model.row_of_word.values = finder.row_numbers(kRowOfWord, config.vocab_size, config.word_rows);
    }
  }
  std::optional<LookupConfigs> lookups;  // read once there is a layer of them
  for (int32_t i = 0; i < config.num_layers; ++i) {
    model.layers.push_back(LayerFinder(config, finder, static_cast<size_t>(i)).find(lookups));
  }
  if (family.final_norm != nullptr) model.final_norm = finder.norm(family.final_norm, d, config.norm());
  if (has_lm_head(config, finder)) find_lm_head(config, finder, model);
  if (config.token_head != TokenHead::kNone) {
    find_token_head(config, finder, model);
  } else if (config.may_have_classes && has_classifier(family, finder)) {
    find_classifier(config, finder, model);
  }
  find_token_vectors(config, sentence, finder, model);
  for (size_t i = 0; i < sentence.modules.size(); ++i) {
    const SentenceSettings::Module& module = sentence.modules[i];
    model.modules.emplace_back();
    if (module.normalise) continue;
    model.modules.back() = finder.linear(module_prefix(i) + "linear", module.outputs, module.inputs, false);
  }
  finder.refuse_others(family.ignored, std::size(family.ignored));
  return model;
}

}  // namespace lffn
