// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <algorithm>

#include "format/load_progress.h"
#include "model/encoder/pass.h"
#include "model/head_table.h"
#include "model/statics/run_static.h"

namespace lffn {

Model::Model(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors,
             std::shared_ptr<const Tokenizer> tokenizer, const ModelLoadOptions& options, const Kernels& kernels,
             QueryWeights query_weights)
    : ModelCore(std::move(config), std::move(sentence), tensors, options, kernels),
      chat_template_(this->sentence().pairs ? make_chat_template(*this->sentence().pairs, flag_of(options.progress))
                                            : ChatTemplate()),
      tokenizer_(std::move(tokenizer)),
      query_weights_(std::move(query_weights)) {
  const std::map<int32_t, std::string>& given = this->config().labels;
  const int32_t labels = token_head() == TokenHead::kClasses ? num_token_classes() : num_classes();
  for (int32_t i = 0; i < labels; ++i) {
    const auto found = given.find(i);
    labels_.push_back(found != given.end() ? found->second : "LABEL_" + std::to_string(i));
  }
}

Model::Model(ModelConfig config, SentenceSettings sentence, StaticVectors statics,
             std::shared_ptr<const Tokenizer> tokenizer, const ModelLoadOptions& options, const Kernels& kernels)
    : ModelCore(std::move(config), std::move(sentence), options, kernels),
      tokenizer_(std::move(tokenizer)),
      statics_(std::move(statics)) {}

void Model::run(const ModelCall& call) const {
  if (call.is_sparse_query) {
    return query_weights_.make(call.ids, call.offsets, call.num_sequences, call.sparse_limits, *call.sparse);
  }
  if (statics_) return run_call(*running().executor, threads_of(call), [&] { run_static(*this, *statics_, call); });
  run_call(*running().executor, threads_of(call), [&] { Pass(*this, call, kHeads).run(); });
}

int64_t Model::late_tokens(LateRole role) const {
  const LateSettings& late = sentence().late;
  if (!late.is_late) return 0;
  const int64_t named = role == LateRole::kQuery ? late.query_tokens : late.document_tokens;
  return named > 0 ? std::min(named, config().max_tokens()) : own_max_tokens();
}

int64_t Model::own_max_tokens() const {
  const auto files = tokenizer_ != nullptr ? static_cast<int64_t>(tokenizer_->max_length()) : 0;
  // sentence-transformers' own file takes precedence over the tokenizer's files.
  int64_t own = sentence().max_seq_length > 0 ? sentence().max_seq_length : files;
  if (statics_ && statics_->settings().is_model2vec) own = statics_->settings().max_tokens;
  return own > 0 ? std::min(own, config().max_tokens()) : config().max_tokens();
}

}  // namespace lffn
