// SPDX-License-Identifier: Apache-2.0
// A whole model, ready to run: an encoder with lookup or dense FFNs, its heads, and what makes texts of it. Never
// changes after it was made.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "format/digest.h"
#include "format/folder.h"
#include "layer/layer.h"
#include "lookupffn/model.h"
#include "model/config/model_config.h"
#include "model/config/sentence_settings.h"
#include "model/encoder/places.h"
#include "model/encoder/rotary.h"
#include "model/heads/sparse_rows.h"
#include "model/statics/query_weights.h"
#include "model/statics/static_vectors.h"
#include "model/tensors/weights.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

// All that the public structs tell of a model.
struct ModelInfo : lffn_model_shape, lffn_model_heads, lffn_model_costs {};

// What a model is asked for, and how it is cut.

// Sequences of token ids back to back, and what is wanted of them: outputs that are nullptr are not computed.
struct ModelCall {
  const int32_t* ids = nullptr;
  const int32_t* types = nullptr;    // of each token; nullptr: all 0. Families without types ignore them
  const int64_t* offsets = nullptr;  // [num_sequences + 1], the first one 0
  int64_t num_sequences = 0;
  const int64_t* attended = nullptr;  // [num_sequences] so many first tokens are attended to; nullptr: all
  float* hidden = nullptr;            // [tokens][hidden_size]
  const int64_t* positions = nullptr;
  int64_t num_positions = 0;
  float* logits = nullptr;         // [num_positions][vocab_size]
  const int64_t* masks = nullptr;  // places in ids, in order
  int64_t num_masks = 0;
  int32_t top_k = 0;
  int32_t* filling_ids = nullptr;          // [num_masks][top_k]; nullptr: no fillings
  float* filling_probabilities = nullptr;  // likewise; may be nullptr beside ids
  float* class_scores = nullptr;           // [num_sequences][num_classes], zeros for an empty sequence
  float* token_scores = nullptr;           // [tokens][num_token_classes]
  const int64_t* vector_tokens = nullptr;  // whose vectors are wanted, rising
  int64_t num_vectors = 0;
  float* token_vectors = nullptr;  // [num_vectors][token_vector_size]
  SparseRows* sparse = nullptr;    // appends a vector for each sequence
  SparseLimits sparse_limits;
  bool is_sparse_query = false;         // the sequences are of the model's query_weights(), and nothing else is wanted
  std::optional<Pooling> pooling;       // nullopt: as the model means it, with its modules
  Scaling scaling = Scaling::kAsModel;  // of embeddings and token vectors to length 1
  int64_t prompt_tokens = 0;            // the first of each sequence, which pooling leaves out
  float* embeddings = nullptr;          // [num_sequences][embedding_size(pooling)], likewise
  int32_t num_threads = 0;              // at most; 0: as many as the model has
  const int32_t* cancel = nullptr;
  double* seconds = nullptr;        // [LFFN_NUM_STAGES]
  double* layer_seconds = nullptr;  // [num_layers, 2]
  // Is told now and then how many sequences are done.
  std::function<void(int64_t)> progress;

  int64_t length(int64_t sequence) const { return offsets[sequence + 1] - offsets[sequence]; }
  int64_t keys(int64_t sequence) const { return attended != nullptr ? attended[sequence] : length(sequence); }
  bool wants_fillings() const { return num_masks > 0 && filling_ids != nullptr; }
  bool wants_heads() const {
    return logits != nullptr || class_scores != nullptr || token_scores != nullptr || token_vectors != nullptr ||
           embeddings != nullptr || sparse != nullptr || wants_fillings();
  }
};

// A run of whole sequences.
struct Span {
  int64_t first, last;    // sequences
  int64_t begin, tokens;  // of the call's tokens
};

// As many sequences from `first` on as have at most so many tokens together, at least one, and empty ones no more.
inline Span next_span(const ModelCall& call, int64_t first, int64_t end, int64_t most_tokens) {
  Span span = {first, first + 1, call.offsets[first], 0};
  end = end - first > most_tokens ? first + most_tokens : end;
  while (span.last < end && call.offsets[span.last + 1] - span.begin <= most_tokens) ++span.last;
  span.tokens = call.offsets[span.last] - span.begin;
  return span;
}

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
        std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options, const Kernels& kernels,
        QueryWeights query_weights = {});

  // The same for a model of static vectors, which has no layers.
  Model(ModelConfig config, SentenceSettings sentence, StaticVectors statics,
        std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options, const Kernels& kernels);

  // The call must be sound: ids in the vocabulary, types below num_types(), offsets in order, sequences not too long,
  // the heads there.
  void run(const ModelCall& call) const;
  void save(const std::string& path, LoadProgress* progress = nullptr) const;
  // Of all that its results depend on: what save() writes, and how the numbers are computed. Reads all weights once.
  std::array<uint8_t, Digest::kBytes> fingerprint() const;
  ModelInfo info() const;
  lffn_model_layer_info layer_info(size_t layer) const;
  const ModelConfig& config() const { return config_; }
  const Family& family() const { return *config_.family; }
  const std::shared_ptr<const Tokenizer>& tokenizer() const { return tokenizer_; }  // nullptr: none
  int32_t num_types() const { return config_.type_vocab_size; }                     // 0: types are ignored

  // Whether classes or token heads put tokens, not texts, through their dense layer.
  bool puts_tokens_through_dense() const {
    return (token_head() != TokenHead::kNone || config_.class_pooling == ClassPooling::kLate) &&
           !weights_.class_dense.empty();
  }
  bool has_lm_head() const { return !weights_.lm_norm.empty() || config_.has_plain_decoder; }
  int32_t num_classes() const { return static_cast<int32_t>(weights_.class_out.outputs()); }
  int64_t token_vector_size() const {
    if (!weights_.later_vectors.empty()) return weights_.later_vectors.back().outputs();
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
  // By which a query and a document become one text. Empty: the tokenizer takes both.
  const ChatTemplate& chat_template() const { return chat_template_; }
  int64_t embedding_size(std::optional<Pooling> pooling) const;
  // Where the model cuts a text by itself: the number of tokens, special ones counted.
  int64_t own_max_tokens() const;
  // Of a late model: the same of queries and of documents.
  int64_t late_tokens(LateRole role) const;

  const StaticVectors* statics() const { return statics_ ? &*statics_ : nullptr; }  // nullptr: an encoder
  // nullptr: sparse queries go through the encoder, if there are any.
  const QueryWeights* query_weights() const { return query_weights_.empty() ? nullptr : &query_weights_; }
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

 private:
  struct Stored;
  void store(Stored& stored) const;
  std::array<uint8_t, Digest::kBytes> read_fingerprint() const;

  ModelConfig config_;
  SentenceSettings sentence_;
  ChatTemplate chat_template_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  Running running_;
  Weights weights_;
  Places places_;
  Rotations rotations_;
  std::optional<StaticVectors> statics_;
  QueryWeights query_weights_;
  std::vector<std::string> labels_;
  mutable ScratchPool scratch_;
  mutable std::once_flag fingerprint_once_;
  mutable std::array<uint8_t, Digest::kBytes> fingerprint_ = {};
};

// Reads a model's single file. Throws Error(LFFN_ERROR_BAD_MODEL).
std::unique_ptr<const Model> load_model_file(const Bytes& file, const LoadOptions& options, const Kernels& kernels);

// Reads the files of a folder. Throws Error.
std::unique_ptr<const Model> load_model_folder(const Folder& folder, const LoadOptions& options,
                                               const Kernels& kernels);

// Reads a folder or a single file. Throws Error.
std::unique_ptr<const Model> load_model(const std::string& path, const LoadOptions& options, const Kernels& kernels);

}  // namespace lffn
