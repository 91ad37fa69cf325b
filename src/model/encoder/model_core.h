// SPDX-License-Identifier: Apache-2.0
// What a call to a model runs on: the model's description, its weights, how it runs, and its scratch memory. model.h
// adds texts and files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "model/config/load_options.h"
#include "model/config/model_config.h"
#include "model/config/sentence_settings.h"
#include "model/encoder/model_call.h"
#include "model/encoder/places.h"
#include "model/encoder/rotary.h"
#include "model/tensors/weights.h"

namespace lffn {

// How a model runs.
struct Running {
  const Kernels& kernels;
  std::shared_ptr<Executor> executor;
  int32_t num_threads;
  bool flush_denormals;
  int32_t attention_dtype;
};

class ModelCore {
 public:
  ModelCore(const ModelCore&) = delete;
  ModelCore& operator=(const ModelCore&) = delete;

  const ModelConfig& config() const { return config_; }
  const Family& family() const { return *config_.family; }
  const SentenceSettings& sentence() const { return sentence_; }
  int32_t num_types() const { return config_.type_vocab_size; }  // 0: types are ignored

  bool has_lm_head() const { return !weights_.lm_norm.empty() || config_.has_plain_decoder; }
  int32_t num_classes() const { return static_cast<int32_t>(weights_.class_out.outputs()); }
  int64_t token_vector_size() const {
    if (!weights_.later_vectors.empty()) return weights_.later_vectors.back().outputs();
    return weights_.token_vectors.empty() ? config_.hidden_size : weights_.token_vectors.outputs();
  }
  // What each token's vector becomes, and how many numbers that is: one for each class, or 2 for the beginning and the
  // end of an answer.
  TokenHead token_head() const { return config_.token_head; }
  const Linear& token_out() const { return weights_.answers.empty() ? weights_.token_classes : weights_.answers; }
  int32_t num_token_classes() const { return static_cast<int32_t>(token_out().outputs()); }
  // Whether a class's probability is the sigmoid of its score, else the softmax of all.
  bool sigmoid_probabilities() const { return num_classes() == 1 || config_.several_labels; }
  // What a reranker's files apply to its score.
  Activation rank_activation() const;
  int64_t embedding_size(std::optional<Pooling> pooling) const;

  const Weights& weights() const { return weights_; }
  const Places& places() const { return places_; }
  const Rotations& rotations() const { return rotations_; }
  bool attends_in_int8(size_t layer) const;
  const WordMatrix& decoder() const { return weights_.decoder.empty() ? weights_.words : weights_.decoder; }
  const Running& running() const { return running_; }
  int32_t threads_of(const ModelCall& call) const {
    return call.num_threads > 0 ? std::min(call.num_threads, running_.num_threads) : running_.num_threads;
  }
  ScratchPool& scratch() const { return scratch_; }

 protected:
  // Copies what it needs of the tensors. Throws Error.
  ModelCore(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors, const ModelLoadOptions& options,
            const Kernels& kernels);
  // Without layers.
  ModelCore(ModelConfig config, SentenceSettings sentence, const ModelLoadOptions& options, const Kernels& kernels);
  ~ModelCore() = default;

 private:
  ModelConfig config_;
  SentenceSettings sentence_;
  Running running_;
  Weights weights_;
  Places places_;
  Rotations rotations_;
  mutable ScratchPool scratch_;
};

}  // namespace lffn
