// SPDX-License-Identifier: Apache-2.0
// What a model is made of. Kind says in which form: as tensors in files (Found in model_tensors.h), or packed, as it
// runs (Packed in weights.h). A part that a model lacks is empty. Whatever concerns all parts uses visit_parts, so that
// a new part is added only here, where it is found, and where it runs.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "model/config/model_config.h"
#include "model/config/sentence_settings.h"

namespace lffn {

template <typename Kind>
struct LayerParts {
  typename Kind::Norm attention_norm;
  typename Kind::Norm ffn_norm;
  typename Kind::Norm attention_result_norm, ffn_result_norm;  // of a part's result
  typename Kind::Linear query_key_value;
  typename Kind::Norm query_norm, key_norm;  // of each head
  typename Kind::Linear distance_key,
      distance_query;  // for vectors of distances; empty: the keys' and the queries' own layers serve
  typename Kind::Linear attention_out;
  typename Kind::Floats attention_bias;  // of a layer without heads: its whole attention
  // The feed-forward block is the sum of those of these parts that the layer has.
  typename Kind::Linear up, down;  // neurons; if they are gated, up gives both halves
  typename Kind::Lookup lookup;    // with its layer norm, where a pre-norm model has it
  typename Kind::Linear linear;    // reads the same input as the lookup
  typename Kind::Floats ffn_bias;  // of a layer with neither neurons nor a lookup
  typename Kind::WordRows word_rows;
};

template <typename Kind>
struct ModelParts {
  typename Kind::Words words;
  typename Kind::Floats positions;
  typename Kind::Floats types;
  typename Kind::RowNumbers row_of_word;  // for the rows by word of all layers; empty: a word's own number
  typename Kind::Norm embedding_norm;
  typename Kind::Linear widener;    // of words' vectors, to the model's width
  typename Kind::Floats distances;  // a row for each bucket of distances
  typename Kind::Norm distance_norm;
  std::vector<LayerParts<Kind>> layers;
  typename Kind::Norm final_norm;
  // The head of a masked language model.
  typename Kind::Linear lm_dense;
  typename Kind::Norm lm_norm;
  typename Kind::Words decoder;  // empty: the word embeddings
  typename Kind::Floats decoder_bias;
  // The classifier.
  typename Kind::Linear class_dense;
  typename Kind::Norm class_norm;
  typename Kind::Linear class_out;
  // The head of each token; a model has one of them at most.
  typename Kind::Linear token_classes;
  typename Kind::Linear answers;
  typename Kind::Linear token_vectors;               // of late interaction; empty: the hidden states are these vectors
  std::vector<typename Kind::Linear> later_vectors;  // the layers after it
  std::vector<typename Kind::Linear> vector_residuals;  // one for it and each of these, most of them empty
  typename Kind::Linear sparse_tokens;                  // one weight of each token
  std::vector<typename Kind::Linear> modules;           // of a sentence encoder, one for each module in its settings
};

// The names of a part's tensors, without ".weight" and ".bias", except that Floats are one tensor with its full name. A
// part that is made of several layers has several names; a lookup's second name is that of its layer norm.
using PartNames = std::vector<std::string>;

constexpr char kRowOfWord[] = "embeddings.word_rows";

template <typename Visit, typename... Layers>
void visit_layer(const Family& family, const LayerDescription& layer, const std::string& prefix, Visit&& visit,
                 Layers&... layers) {
  const auto name = [&](const char* own) { return prefix + own; };
  const auto optional = [&](const char* own) { return PartNames{own == nullptr ? "" : prefix + own}; };
  const std::string lookup = name(family.lookup);
  const bool two_ups = layer.gate != Gate::kNone && family.up_second != nullptr;
  visit(PartNames{name(family.attention_norm)}, layers.attention_norm...);
  visit(PartNames{name(family.ffn_norm)}, layers.ffn_norm...);
  visit(optional(family.attention_result_norm), layers.attention_result_norm...);
  visit(optional(family.ffn_result_norm), layers.ffn_result_norm...);
  visit(layer.is_fused ? PartNames{name(family.query_key_value)}
                       : PartNames{name(family.query), name(family.key), name(family.value)},
        layers.query_key_value...);
  visit(optional(family.query_norm), layers.query_norm...);
  visit(optional(family.key_norm), layers.key_norm...);
  if (family.distance_key != nullptr) {
    visit(PartNames{name(family.distance_key)}, layers.distance_key...);
    visit(PartNames{name(family.distance_query)}, layers.distance_query...);
  }
  visit(PartNames{name(family.attention_out)}, layers.attention_out...);
  visit(PartNames{name(family.attention_out) + ".bias"}, layers.attention_bias...);
  visit(two_ups ? PartNames{name(family.up), name(family.up_second)} : PartNames{name(family.up)}, layers.up...);
  visit(PartNames{name(family.down)}, layers.down...);
  visit(PartNames{lookup, family.lookup_norm == LookupNorm::kOfLayer ? name(family.ffn_norm) : lookup + "LayerNorm"},
        layers.lookup...);
  visit(PartNames{lookup + "linear"}, layers.linear...);
  visit(PartNames{lookup + "bias"}, layers.ffn_bias...);
  visit(PartNames{lookup + "words"}, layers.word_rows...);
}

inline std::string layer_prefix(const Family& family, size_t layer) {
  return family.layer + std::to_string(layer) + ".";
}

// Calls visit(names, part...) for each part, empty or not: of one model, or with the same part of several models.
template <typename Visit, typename... Models>
void visit_parts(const ModelConfig& config, Visit&& visit, Models&... models) {
  const Family& family = *config.family;
  const auto name = [](const char* own, const char* end = "") {
    return PartNames{own == nullptr ? "" : std::string(own) + end};
  };
  const auto& first = std::get<0>(std::tie(models...));
  visit(name(family.words), models.words...);
  visit(name(family.position_embeddings, ".weight"), models.positions...);
  visit(name(family.types, ".weight"), models.types...);
  visit(PartNames{kRowOfWord}, models.row_of_word...);
  visit(name(family.embedding_norm), models.embedding_norm...);
  visit(name(family.widener), models.widener...);
  visit(name(family.distance_table, ".weight"), models.distances...);
  visit(name(family.distance_norm), models.distance_norm...);
  for (size_t i = 0; i < first.layers.size(); ++i) {
    visit_layer(family, config.layers[i], layer_prefix(family, i), visit, models.layers[i]...);
  }
  visit(name(family.final_norm), models.final_norm...);
  visit(name(family.lm_dense), models.lm_dense...);
  visit(name(family.lm_norm), models.lm_norm...);
  visit(name(family.decoder), models.decoder...);
  visit(name(family.decoder_biases[0]), models.decoder_bias...);
  visit(name(family.class_dense), models.class_dense...);
  visit(name(family.class_norm), models.class_norm...);
  visit(name(family.class_out), models.class_out...);
  visit(name(family.token_classes), models.token_classes...);
  visit(name(family.answers), models.answers...);
  visit(PartNames{kTokenVectors}, models.token_vectors...);
  for (size_t i = 0; i < first.later_vectors.size(); ++i) {
    visit(PartNames{late_prefix(i + 1) + "linear"}, models.later_vectors[i]...);
  }
  for (size_t i = 0; i < first.vector_residuals.size(); ++i) {
    visit(PartNames{late_prefix(i) + "residual"}, models.vector_residuals[i]...);
  }
  visit(PartNames{kSparseTokens}, models.sparse_tokens...);
  for (size_t i = 0; i < first.modules.size(); ++i) visit(PartNames{module_prefix(i) + "linear"}, models.modules[i]...);
}

}  // namespace lffn
