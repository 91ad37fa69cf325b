// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <algorithm>
#include <cstring>

#include "model/load_path.h"

namespace lffn {

Model::Model(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors,
             std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options, const Kernels& kernels)
    : config_(std::move(config)),
      sentence_(std::move(sentence)),
      tokenizer_(std::move(tokenizer)),
      kernels_(kernels),
      executor_(options.executor),
      num_threads_(resolve_threads(options)),
      flush_denormals_(options.flush_denormals),
      intermediate_size_(tensors.has_dense_ffn ? config_.intermediate_size : 0),
      num_classes_(tensors.num_classes) {
  const int64_t d = config_.hidden_size;
  const float eps = config_.layer_norm_eps;
  const bool pre_norm = family().pre_norm;
  words_ = WordMatrix(*tensors.words, tensors.words_scale, options.embedding_dtype);
  positions_ = read_padded(*tensors.positions, config_.position_rows() * d);
  if (tensors.types != nullptr) {
    types_ = read_padded(*tensors.types, config_.type_vocab_size * d);
  } else {
    types_ = Memory(static_cast<size_t>(d) * sizeof(float));
    std::memset(types_.data(), 0, types_.size());
  }
  embedding_norm_ = Norm(tensors.embedding_norm, d, eps);
  const EncoderLayerTensors* previous = nullptr;
  for (const EncoderLayerTensors& from : tensors.layers) {
    EncoderLayer layer;
    if (pre_norm) {
      layer.norm_before_attention = Norm(from.attention_norm, d, eps);
      if (from.kind == FfnKind::kVanilla) layer.norm_before_ffn = Norm(from.ffn_norm, d, eps);
    } else {
      if (previous != nullptr) layer.norm_before_attention = Norm(previous->ffn_norm, d, eps);
      layer.norm_before_ffn = Norm(from.attention_norm, d, eps);
    }
    layer.query_key_value = Linear(from.query_key_value, options.linear_dtype, kernels);
    layer.attention_out = Linear(from.attention_out, options.linear_dtype, kernels);
    if (from.kind == FfnKind::kLookup) {
      const std::string name = family().layer + std::to_string(layers_.size()) + "." + family().lookup;
      layer.lookup = naming(
          name, [&] { return std::make_unique<const Layer>(from.lookup_config, from.lookup, options, kernels); });
      if (from.lookup_linear.outputs > 0) {
        layer.lookup_linear = Linear(from.lookup_linear, options.linear_dtype, kernels);
      }
    } else {
      layer.up = Linear(from.up, options.linear_dtype, kernels);
      layer.down = Linear(from.down, options.linear_dtype, kernels);
    }
    layers_.push_back(std::move(layer));
    previous = &from;
  }
  final_norm_ = Norm(pre_norm ? tensors.final_norm : previous->ffn_norm, d, eps);
  if (tensors.has_lm_head) {
    lm_dense_ = Linear(tensors.lm_dense, LFFN_F32, kernels);
    lm_norm_ = Norm(tensors.lm_norm, d, eps);
    if (tensors.decoder != nullptr) {
      decoder_ = WordMatrix(*tensors.decoder, tensors.decoder_scale, options.embedding_dtype);
    }
    decoder_bias_ = read_padded(*tensors.decoder_bias, round_up(config_.vocab_size, kPanel));
  }
  if (num_classes_ > 0) {
    class_dense_ = Linear(tensors.class_dense, LFFN_F32, kernels);
    class_out_ = Linear(tensors.class_out, LFFN_F32, kernels);
  }
  for (int32_t i = 0; i < num_classes_; ++i) {
    const auto given = config_.labels.find(i);
    labels_.push_back(given != config_.labels.end() ? given->second : "LABEL_" + std::to_string(i));
  }
  for (const LinearTensors& module : tensors.modules) {
    modules_.emplace_back();
    if (module.outputs > 0) modules_.back() = Linear(module, LFFN_F32, kernels);
  }
}

ModuleActivation Model::rank_activation() const {
  if (config_.has_rank_activation) return config_.rank_activation;
  return num_classes_ == 1 ? ModuleActivation::kSigmoid : ModuleActivation::kIdentity;
}

int64_t Model::own_max_tokens() const {
  const auto files = tokenizer_ != nullptr ? static_cast<int64_t>(tokenizer_->max_length()) : 0;
  // What sentence-transformers' own file says counts before what the tokenizer's say.
  const int64_t own = sentence_.max_seq_length > 0 ? sentence_.max_seq_length : files;
  return own > 0 ? std::min(own, config_.max_tokens()) : config_.max_tokens();
}

}  // namespace lffn
