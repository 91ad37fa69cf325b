// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <algorithm>

#include "format/load_progress.h"
#include "model/encoder/pass.h"
#include "model/statics/run_static.h"

namespace lffn {

Model::Model(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors,
             std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options, const Kernels& kernels,
             QueryWeights query_weights)
    : config_(std::move(config)),
      sentence_(std::move(sentence)),
      chat_template_(sentence_.pairs ? make_chat_template(*sentence_.pairs, flag_of(options.progress))
                                     : ChatTemplate()),
      tokenizer_(std::move(tokenizer)),
      running_{kernels, options.executor, resolve_threads(options), options.flush_denormals, options.attention_dtype},
      weights_(pack(tensors, config_, options, kernels)),
      rotations_(config_),
      query_weights_(std::move(query_weights)) {
  run_call(*running_.executor, running_.num_threads, [&] {
    places_ =
        Places(config_, weights_, {kernels, running_.num_threads, running_.flush_denormals, flag_of(options.progress)});
  });
  const int32_t labels = token_head() == TokenHead::kClasses ? num_token_classes() : num_classes();
  for (int32_t i = 0; i < labels; ++i) {
    const auto given = config_.labels.find(i);
    labels_.push_back(given != config_.labels.end() ? given->second : "LABEL_" + std::to_string(i));
  }
}

Model::Model(ModelConfig config, SentenceSettings sentence, StaticVectors statics,
             std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options, const Kernels& kernels)
    : config_(std::move(config)),
      sentence_(std::move(sentence)),
      tokenizer_(std::move(tokenizer)),
      running_{kernels, options.executor, resolve_threads(options), options.flush_denormals, options.attention_dtype},
      statics_(std::move(statics)) {}

void Model::run(const ModelCall& call) const {
  if (call.is_sparse_query) {
    return query_weights_.make(call.ids, call.offsets, call.num_sequences, call.sparse_limits, *call.sparse);
  }
  if (statics_) return run_call(*running_.executor, threads_of(call), [&] { run_static(*this, call); });
  run_call(*running_.executor, threads_of(call), [&] { Pass(*this, call).run(); });
}

// What distances add to scores is in floats.
bool Model::attends_in_int8(size_t layer) const {
  if (!places_.empty() || config_.layers[layer].heads == 0) return false;
  if (running_.attention_dtype != LFFN_DTYPE_AS_STORED) return running_.attention_dtype == LFFN_DTYPE_INT8;
  return weights_.layers[layer].query_key_value.dtype() == LFFN_DTYPE_INT8;
}

Activation Model::rank_activation() const {
  return config_.rank_activation.value_or(num_classes() == 1 ? Activation::kSigmoid : Activation::kNone);
}

int64_t Model::embedding_size(std::optional<Pooling> pooling) const {
  int64_t size = config_.hidden_size;
  if (pooling.has_value()) return size;
  size *= static_cast<int64_t>(sentence_.pooling.size());
  for (const SentenceSettings::Module& module : sentence_.modules) {
    if (!module.normalise) size = module.outputs;
  }
  return size;
}

int64_t Model::late_tokens(LateRole role) const {
  const LateSettings& late = sentence_.late;
  if (!late.is_late) return 0;
  const int64_t named = role == LateRole::kQuery ? late.query_tokens : late.document_tokens;
  return named > 0 ? std::min(named, config_.max_tokens()) : own_max_tokens();
}

int64_t Model::own_max_tokens() const {
  const auto files = tokenizer_ != nullptr ? static_cast<int64_t>(tokenizer_->max_length()) : 0;
  // What sentence-transformers' own file says counts before what the tokenizer's say.
  int64_t own = sentence_.max_seq_length > 0 ? sentence_.max_seq_length : files;
  if (statics_ && statics_->settings().is_model2vec) own = statics_->settings().max_tokens;
  return own > 0 ? std::min(own, config_.max_tokens()) : config_.max_tokens();
}

}  // namespace lffn
