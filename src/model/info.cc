// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lookupffn/late.h"
#include "model/config/activations.h"
#include "model/encoder/scratch_layout.h"
#include "model/head_table.h"
#include "model/model.h"
#include "model/statics/run_static.h"

namespace lffn {
namespace {

// Raised when a version changes the results of int8 arithmetic.
constexpr int32_t kArithmetic = 3;
// Added if any linear layer's inputs have seven bits.
constexpr int32_t kOfSevenBitInputs = 1000;

bool has_seven_bit_inputs(const Linear& linear) { return linear.has_seven_bit_inputs(); }
template <typename Part>
bool has_seven_bit_inputs(const Part&) {
  return false;
}

int32_t pooling_of(const SentenceSettings& sentence) {
  return sentence.pooling.size() == 1 ? static_cast<int32_t>(sentence.pooling[0]) + 1 : LFFN_POOLING_MODEL;
}

static_assert(static_cast<int32_t>(Pooling::kFirst) + 1 == LFFN_POOLING_FIRST &&
                  static_cast<int32_t>(Pooling::kMean) + 1 == LFFN_POOLING_MEAN &&
                  static_cast<int32_t>(Pooling::kMax) + 1 == LFFN_POOLING_MAX &&
                  static_cast<int32_t>(Pooling::kMeanSqrtLength) + 1 == LFFN_POOLING_MEAN_SQRT &&
                  static_cast<int32_t>(Pooling::kWeightedMean) + 1 == LFFN_POOLING_WEIGHTED_MEAN &&
                  static_cast<int32_t>(Pooling::kLast) + 1 == LFFN_POOLING_LAST &&
                  static_cast<int32_t>(Scaling::kAsModel) == LFFN_NORMALIZE_MODEL &&
                  static_cast<int32_t>(Scaling::kYes) == LFFN_NORMALIZE_YES &&
                  static_cast<int32_t>(Scaling::kNo) == LFFN_NORMALIZE_NO &&
                  static_cast<int32_t>(TokenHead::kClasses) == LFFN_TOKEN_HEAD_CLASSES &&
                  static_cast<int32_t>(TokenHead::kAnswers) == LFFN_TOKEN_HEAD_ANSWERS,
              "the header's numbers are these");
// The type of the first linear layer that there is.
int32_t linear_dtype(const LayerWeights& layer) {
  for (const Linear* linear : {&layer.query_key_value, &layer.up, &layer.linear}) {
    if (!linear->empty()) return linear->dtype();
  }
  return LFFN_DTYPE_F32;
}
int32_t linear_dtype(const std::vector<LayerWeights>& layers) {
  for (const LayerWeights& layer : layers) {
    if (!layer.query_key_value.empty() || !layer.up.empty() || !layer.linear.empty()) return linear_dtype(layer);
  }
  return LFFN_DTYPE_F32;
}

int32_t window_of(const LayerDescription& layer) { return layer.is_local ? static_cast<int32_t>(layer.before) : 0; }

}  // namespace

ModelInfo Model::info() const {
  const int64_t d = config().hidden_size;
  ModelInfo info = {};
  info.vocab_size = config().vocab_size;
  info.hidden_size = config().hidden_size;
  info.num_layers = config().num_layers;
  info.num_attention_heads = config().num_heads;
  info.attention_head_size = config().head_size;
  info.max_tokens = static_cast<int32_t>(config().max_tokens());
  info.embedding_size = static_cast<int32_t>(embedding_size(std::nullopt));
  info.own_max_tokens = static_cast<int32_t>(own_max_tokens());
  info.num_token_types = num_types();
  info.is_multi_label = config().several_labels ? 1 : 0;
  info.is_sentence_encoder = sentence().is_sentence_encoder ? 1 : 0;
  info.pooling = pooling_of(sentence());
  info.normalize = sentence().normalises() ? LFFN_NORMALIZE_YES : LFFN_NORMALIZE_NO;
  info.num_prompts = static_cast<int32_t>(sentence().prompts.size());
  info.default_prompt = sentence().default_prompt;
  info.score_activation = activation_row(num_classes() > 0 ? rank_activation() : Activation::kNone).score;
  for (const LayerWeights& layer : weights().layers) {
    info.intermediate_size = std::max(info.intermediate_size, static_cast<int32_t>(layer.down.inputs()));
  }
  info.table_dtype = info.hash_dtype = LFFN_DTYPE_F32;  // where there are none
  info.num_classes = num_classes();
  info.num_token_classes = num_token_classes();
  info.token_head = static_cast<int32_t>(token_head());
  info.has_lm_head = has_lm_head() ? 1 : 0;
  info.has_tokenizer = tokenizer_ != nullptr ? 1 : 0;
  info.num_threads = running().num_threads;
  bool seven_bit_inputs = false;
  size_t bytes = 0;
  int64_t stored = 0;
  const auto count = [&](const auto& part) {
    info.num_parameters += part.num_parameters();
    stored += part.stored_bytes();
    bytes += part.bytes();
  };
  if (statics_) count(*statics_);
  visit_parts(
      config(),
      [&](const PartNames&, const auto& part) {
        seven_bit_inputs = seven_bit_inputs || has_seven_bit_inputs(part);
        count(part);
      },
      weights());
  info.arithmetic = kArithmetic + (seven_bit_inputs ? kOfSevenBitInputs : 0);
  info.file_bytes = static_cast<size_t>(stored);
  info.memory_bytes = bytes + places().bytes() + rotations().bytes() + query_weights_.bytes();
  info.file_bytes += query_weights_.bytes();
  info.sparse_size = sentence().sparse.pools ? config().vocab_size : 0;
  info.max_active = sentence().sparse.max_active;
  info.kind = statics_ ? LFFN_MODEL_KIND_STATIC : LFFN_MODEL_KIND_ENCODER;
  info.scratch_bytes = statics_ ? static_scratch_bytes(*this, *statics_) : most_scratch_bytes(*this, kHeads);
  for (size_t i = 0; i < weights().layers.size(); ++i) {
    const lffn_model_layer_info layer = layer_info(i);
    info.attention_flop_per_token += layer.attention_flop_per_token;
    info.attention_flop_per_pair += layer.attention_flop_per_pair;
    info.ffn_flop_per_token += layer.ffn_flop_per_token;
    info.other_flop_per_token += layer.other_flop_per_token;
    if (layer.num_tables == 0) continue;
    info.num_lookup_layers += 1;
    info.table_dtype = layer.table_dtype;
    info.hash_dtype = layer.hash_dtype;
  }
  // Embeddings with their layer norm, and the last one; static vectors are weighted and added.
  info.other_flop_per_token += statics_ ? 2 * d : 2 * 8 * d + 2 * d;
  info.other_flop_per_token += weights().widener.flop_per_row();
  if (has_lm_head()) {
    const int64_t e = config().embedding_size;
    info.lm_head_flop_per_token = weights().lm_dense.flop_per_row() + 8 * e + 2 * e * config().vocab_size;
  }
  info.linear_dtype = linear_dtype(weights().layers);
  info.embedding_dtype = statics_ ? statics_->dtype() : weights().words.dtype();
  info.token_vector_size = static_cast<int32_t>(token_vector_size());
  const LateSettings& late = sentence().late;
  info.is_late = late.is_late ? 1 : 0;

  info.max_query_tokens = static_cast<int32_t>(late_tokens(LateRole::kQuery));
  info.max_document_tokens = static_cast<int32_t>(late_tokens(LateRole::kDocument));
  info.max_sim_flags = late.takes_means ? uint32_t{LFFN_MAX_SIM_MEAN} : 0;
  info.query_prefix_id = late.query_prefix;
  info.document_prefix_id = late.document_prefix;
  info.filler_id = late.filler;
  info.attends_to_filler = late.attends_to_filler ? 1 : 0;
  info.attention_dtype = LFFN_DTYPE_F32;
  for (size_t i = 0; i < weights().layers.size(); ++i) {
    if (attends_in_int8(i)) info.attention_dtype = LFFN_DTYPE_INT8;
  }
  if (tokenizer_ != nullptr) info.tokenizer_bytes = tokenizer_->bytes();
  for (const LayerDescription& layer : config().layers) {
    if (layer.is_limited && layer.after < layer.before) info.is_causal = 1;
    info.attention_window = std::max(info.attention_window, window_of(layer));
    if (layer.rotates) (layer.is_local ? info.local_rope_theta : info.rope_theta) = layer.rotary.theta;
  }
  return info;
}

lffn_model_layer_info Model::layer_info(size_t number) const {
  const LayerWeights& layer = weights().layers[number];
  const LayerDescription& description = config().layers[number];
  const int64_t d = config().hidden_size;
  lffn_model_layer_info info = {};
  info.struct_size = sizeof info;
  info.num_attention_heads = description.heads;
  info.attention_head_size = config().head_size;
  info.num_neurons = static_cast<int32_t>(layer.down.inputs());
  info.has_linear_map = layer.linear.empty() ? 0 : 1;
  info.num_word_rows = static_cast<int32_t>(layer.word_rows.num_rows());
  info.linear_dtype = linear_dtype(layer);
  int64_t norms = (layer.attention_norm.empty() ? 0 : 1) + (layer.ffn_norm.empty() ? 0 : 1);
  if (!layer.lookup.empty()) {
    const lffn_layer_info lookup = layer.lookup.layer().info();
    info.num_tables = lookup.num_tables;
    info.table_size = lookup.table_size;
    info.projection = lookup.projection;
    info.block_size = lookup.block_size;
    info.num_probes = lookup.num_probes;
    info.table_dtype = lookup.table_dtype;
    info.hash_dtype = lookup.hash_dtype;
    norms += lookup.layer_norm;
  }
  if (!layer.word_rows.empty()) info.word_row_dtype = layer.word_rows.dtype();
  info.attention_flop_per_token = layer.query_key_value.flop_per_row() + layer.attention_out.flop_per_row();
  // As in a text so long that it has every distance; the sums for each pair are few.
  info.attention_flop_per_token +=
      2 * description.query_size() * places().num_places() * (config().distances.score_terms - 1);
  info.attention_flop_per_pair = 4 * description.query_size();
  info.ffn_flop_per_token = layer.up.flop_per_row() + layer.down.flop_per_row() + layer.lookup.flop_per_row() +
                            layer.linear.flop_per_row() + layer.word_rows.flop_per_row();
  info.other_flop_per_token = norms * 8 * d + 2 * d;  // layer norms, two residuals
  info.word_row_bytes = static_cast<size_t>(layer.word_rows.stored_bytes());
  info.attention_bytes = layer.attention_norm.bytes() + layer.attention_result_norm.bytes() + layer.query_norm.bytes() +
                         layer.key_norm.bytes() + layer.query_key_value.bytes() + layer.attention_out.bytes() +
                         layer.distance_key.bytes() + layer.distance_query.bytes() + places().layer_bytes(number) +
                         layer.attention_bias.bytes();
  size_t bytes = 0;
  int64_t stored = 0;
  visit_layer(
      family(), description, "",
      [&](const PartNames&, const auto& part) {
        info.num_parameters += part.num_parameters();
        stored += part.stored_bytes();
        bytes += part.bytes();
      },
      layer);
  info.ffn_bytes = bytes - info.attention_bytes;
  info.file_bytes = static_cast<size_t>(stored);
  info.attention_window = window_of(description);
  if (description.rotates) info.rope_theta = description.rotary.theta;
  return info;
}

}  // namespace lffn
