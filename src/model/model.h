// SPDX-License-Identifier: Apache-2.0
// A whole model, ready to run: an encoder with lookup or dense FFNs, its heads, and what makes texts of it. Never
// changes after it was made.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/folder.h"
#include "layer/layer.h"
#include "model/call.h"
#include "model/model_config.h"
#include "model/places.h"
#include "model/weights.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

// How a model runs.
struct Running {
  const Kernels& kernels;
  std::shared_ptr<Executor> executor;
  int32_t num_threads;
  bool flush_denormals;
  int32_t attention_dtype;
};

class Model {
 public:
  // Copies what it needs of the tensors. The tokenizer may be nullptr. Throws Error.
  Model(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors,
        std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options, const Kernels& kernels);

  // The call must be sound: ids in the vocabulary, types below num_types(), offsets in order, sequences not too long,
  // the heads there.
  void run(const ModelCall& call) const;
  void save(const std::string& path, LoadProgress* progress = nullptr) const;
  lffn_model_info info() const;
  lffn_model_layer_info layer_info(size_t layer) const;
  const ModelConfig& config() const { return config_; }
  const Family& family() const { return *config_.family; }
  const std::shared_ptr<const Tokenizer>& tokenizer() const { return tokenizer_; }  // nullptr: none
  int32_t num_types() const { return config_.type_vocab_size; }                     // 0: types are ignored

  bool has_lm_head() const { return !weights_.lm_norm.empty(); }
  int32_t num_classes() const { return static_cast<int32_t>(weights_.class_out.outputs()); }
  int64_t token_vector_size() const {
    return weights_.token_vectors.empty() ? config_.hidden_size : weights_.token_vectors.outputs();
  }
  // What each token's vector becomes, and how many numbers: one for each class; 2, for the beginning and the end of an
  // answer.
  TokenHead token_head() const { return config_.token_head; }
  const Linear& token_out() const { return weights_.answers.empty() ? weights_.token_classes : weights_.answers; }
  int32_t num_token_classes() const { return static_cast<int32_t>(token_out().outputs()); }
  const std::vector<std::string>& labels() const { return labels_; }  // of the classes, of texts or of tokens
  // Whether a class's probability is the sigmoid of its score, else the softmax of all.
  bool sigmoid_probabilities() const { return num_classes() == 1 || config_.several_labels; }
  // What a reranker's files make of its score.
  Activation rank_activation() const;

  const SentenceSettings& sentence() const { return sentence_; }
  int64_t embedding_size(std::optional<Pooling> pooling) const;
  // Where the model cuts a text by itself: the number of tokens, special ones counted.
  int64_t own_max_tokens() const;

  const Weights& weights() const { return weights_; }
  const Places& places() const { return places_; }
  bool attends_in_int8(size_t layer) const;
  const WordMatrix& decoder() const { return weights_.decoder.empty() ? weights_.words : weights_.decoder; }
  const Running& running() const { return running_; }
  int32_t threads_of(const ModelCall& call) const {
    return call.num_threads > 0 ? std::min(call.num_threads, running_.num_threads) : running_.num_threads;
  }
  ScratchPool& scratch() const { return scratch_; }

 private:
  ModelConfig config_;
  SentenceSettings sentence_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  Running running_;
  Weights weights_;
  Places places_;
  std::vector<std::string> labels_;
  mutable ScratchPool scratch_;
};

// Reads a model's single file. Throws Error(LFFN_ERROR_BAD_MODEL).
std::unique_ptr<const Model> load_model_file(const Bytes& file, const LoadOptions& options, const Kernels& kernels);

// Reads the files of a folder. Throws Error.
std::unique_ptr<const Model> load_model_folder(const Folder& folder, const LoadOptions& options,
                                               const Kernels& kernels);

// Reads a folder or a single file. Throws Error.
std::unique_ptr<const Model> load_model(const std::string& path, const LoadOptions& options, const Kernels& kernels);

}  // namespace lffn
