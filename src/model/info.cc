// SPDX-License-Identifier: Apache-2.0
#include "model/scratch_layout.h"

namespace lffn {
namespace {

// Raised when a version changes the results of int8 arithmetic.
constexpr int32_t kArithmetic = 2;

int32_t pooling_of(const SentenceSettings& sentence) {
  return sentence.pooling.size() == 1 ? static_cast<int32_t>(sentence.pooling[0]) + 1 : LFFN_POOLING_MODEL;
}

static_assert(static_cast<int32_t>(Pooling::kFirst) + 1 == LFFN_POOLING_FIRST &&
                  static_cast<int32_t>(Pooling::kMean) + 1 == LFFN_POOLING_MEAN &&
                  static_cast<int32_t>(Pooling::kMax) + 1 == LFFN_POOLING_MAX &&
                  static_cast<int32_t>(Pooling::kMeanSqrtLength) + 1 == LFFN_POOLING_MEAN_SQRT &&
                  static_cast<int32_t>(Scaling::kAsModel) == LFFN_NORMALIZE_MODEL &&
                  static_cast<int32_t>(Scaling::kYes) == LFFN_NORMALIZE_YES &&
                  static_cast<int32_t>(Scaling::kNo) == LFFN_NORMALIZE_NO,
              "the header's numbers are these");
static_assert(static_cast<int32_t>(ModuleActivation::kIdentity) == LFFN_SCORE_IDENTITY &&
                  static_cast<int32_t>(ModuleActivation::kTanh) == LFFN_SCORE_TANH &&
                  static_cast<int32_t>(ModuleActivation::kRelu) == LFFN_SCORE_RELU &&
                  static_cast<int32_t>(ModuleActivation::kSigmoid) == LFFN_SCORE_SIGMOID &&
                  static_cast<int32_t>(ModuleActivation::kGelu) == LFFN_SCORE_GELU,
              "the header's numbers are these");

}  // namespace

lffn_model_info Model::info() const {
  const int64_t d = config_.hidden_size, a = config_.attention_size();
  lffn_model_info info = {};
  info.struct_size = sizeof info;
  info.vocab_size = config_.vocab_size;
  info.hidden_size = config_.hidden_size;
  info.num_layers = config_.num_layers;
  info.num_heads = config_.num_heads;
  info.head_size = config_.head_size;
  info.max_tokens = static_cast<int32_t>(config_.max_tokens());
  info.embedding_size = static_cast<int32_t>(embedding_size(std::nullopt));
  info.own_max_tokens = static_cast<int32_t>(own_max_tokens());
  info.num_token_types = num_types();
  info.several_labels = config_.several_labels ? 1 : 0;
  info.is_sentence_encoder = sentence_.is_sentence_encoder ? 1 : 0;
  info.pooling = pooling_of(sentence_);
  info.normalize = sentence_.normalises() ? LFFN_NORMALIZE_YES : LFFN_NORMALIZE_NO;
  info.num_prompts = static_cast<int32_t>(sentence_.prompts.size());
  info.default_prompt = sentence_.default_prompt;
  info.arithmetic = kArithmetic;
  info.score_activation = static_cast<int32_t>(num_classes_ > 0 ? rank_activation() : ModuleActivation::kIdentity);
  info.intermediate_size = intermediate_size_;
  info.num_classes = num_classes_;
  info.has_lm_head = has_lm_head() ? 1 : 0;
  info.has_tokenizer = tokenizer_ != nullptr ? 1 : 0;
  info.bos_id = info.eos_id = info.pad_id = info.unk_id = info.mask_id = -1;
  if (tokenizer_ != nullptr) {
    info.bos_id = tokenizer_->bos_id();
    info.eos_id = tokenizer_->eos_id();
    info.pad_id = tokenizer_->pad_id();
    info.unk_id = tokenizer_->unk_id();
    info.mask_id = tokenizer_->mask_id();
  }
  info.num_threads = num_threads_;

  int64_t parameters = 0, stored = 0;
  size_t bytes = 0;
  const auto add_floats = [&](int64_t numbers, size_t held) {
    parameters += numbers;
    stored += numbers * static_cast<int64_t>(sizeof(float));
    bytes += held;
  };
  const auto add_norm = [&](const Norm& norm) { add_floats(norm.bytes() > 0 ? 2 * d : 0, norm.bytes()); };
  const auto add_words = [&](const WordMatrix& words) {
    parameters += words.num_parameters();
    stored += words.stored_bytes();
    bytes += words.bytes();
  };
  const auto add_linear = [&](const Linear& linear) {
    parameters += linear.num_parameters();
    stored += linear.stored_bytes();
    bytes += linear.bytes();
    return linear.flop_per_row();
  };
  add_words(words_);
  add_floats(config_.position_rows() * d, positions_.size());
  add_floats(config_.type_vocab_size * d, types_.size());
  add_norm(embedding_norm_);
  for (const EncoderLayer& layer : layers_) {
    add_norm(layer.norm_before_attention);
    add_norm(layer.norm_before_ffn);
    info.attention_flop_per_token += add_linear(layer.query_key_value) + add_linear(layer.attention_out);
    info.attention_flop_per_pair += 4 * a;
    info.other_flop_per_token += 2 * 8 * d + 2 * d;  // two layer norms, two residuals
    if (layer.lookup != nullptr) {
      const lffn_layer_info ffn = layer.lookup->info();
      info.num_lookup_layers += 1;
      info.table_dtype = ffn.table_dtype;
      info.hash_dtype = ffn.hash_dtype;
      info.ffn_flop_per_token += ffn.flop_per_token + add_linear(layer.lookup_linear);
      parameters += ffn.num_parameters;
      stored += ffn.file_bytes;
      bytes += static_cast<size_t>(ffn.memory_bytes);
    } else {
      info.ffn_flop_per_token += add_linear(layer.up) + add_linear(layer.down);
    }
  }
  add_norm(final_norm_);
  info.other_flop_per_token += 2 * 8 * d + 2 * d;  // embeddings with their layer norm, and the last one
  if (has_lm_head()) {
    info.lm_head_flop_per_token = add_linear(lm_dense_) + 8 * d + 2 * d * config_.vocab_size;
    add_norm(lm_norm_);
    add_floats(config_.vocab_size, decoder_bias_.size());
    add_words(decoder_);
  }
  if (num_classes_ > 0) {
    add_linear(class_dense_);
    add_linear(class_out_);
  }
  for (size_t i = 0; i < modules_.size(); ++i) {
    if (!sentence_.modules[i].normalise) add_linear(modules_[i]);
  }
  info.linear_dtype = layers_[0].query_key_value.dtype();
  info.embedding_dtype = words_.dtype();
  info.num_parameters = parameters;
  info.file_bytes = static_cast<size_t>(stored);
  info.memory_bytes = bytes;
  info.scratch_bytes = scratch_bytes();
  return info;
}

}  // namespace lffn
