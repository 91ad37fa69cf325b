// SPDX-License-Identifier: Apache-2.0
// A whole model, ready to run: an encoder with lookup or dense FFNs, its heads, and what makes texts of it. Never
// changes after it was made.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/folder.h"
#include "layer/layer.h"
#include "model/linear.h"
#include "model/model_config.h"
#include "model/model_tensors.h"
#include "model/sentence.h"
#include "model/words.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

// Sequences of token ids back to back, and what is wanted of them: outputs that are nullptr are not computed.
struct ModelCall {
  const int32_t* ids = nullptr;
  const int32_t* types = nullptr;    // of each token; nullptr: all 0. Families without types ignore them
  const int64_t* offsets = nullptr;  // [num_sequences + 1], the first one 0
  int64_t num_sequences = 0;
  float* hidden = nullptr;  // [tokens][hidden_size]
  const int64_t* positions = nullptr;
  int64_t num_positions = 0;
  float* logits = nullptr;              // [num_positions][vocab_size]
  float* class_scores = nullptr;        // [num_sequences][num_classes], zeros for an empty sequence
  std::optional<Pooling> pooling;       // nullopt: as the model means it, with its modules
  Scaling scaling = Scaling::kAsModel;  // of embeddings to length 1
  int64_t prompt_tokens = 0;            // the first of each sequence, which pooling leaves out
  float* embeddings = nullptr;          // [num_sequences][embedding_size(pooling)], likewise
  const int32_t* cancel = nullptr;
  double* seconds = nullptr;  // [LFFN_NUM_STAGES]
};

class StageClock;

class Model {
 public:
  // Copies what it needs of the tensors. The tokenizer may be nullptr. Throws Error.
  Model(ModelConfig config, SentenceSettings sentence, const ModelTensors& tensors,
        std::shared_ptr<const Tokenizer> tokenizer, const LoadOptions& options, const Kernels& kernels);

  // The call must be sound: ids in the vocabulary, types below num_types(), offsets in order, sequences not too long,
  // the heads there.
  void run(const ModelCall& call) const;
  void save(const std::string& path) const;
  lffn_model_info info() const;
  const ModelConfig& config() const { return config_; }
  const Family& family() const { return *config_.family; }
  const std::shared_ptr<const Tokenizer>& tokenizer() const { return tokenizer_; }  // nullptr: none
  int32_t num_types() const { return config_.type_vocab_size; }                     // 0: types are ignored

  bool has_lm_head() const { return lm_norm_.bytes() > 0; }
  int32_t num_classes() const { return num_classes_; }
  const std::vector<std::string>& labels() const { return labels_; }  // of the classes
  // Whether a class's probability is the sigmoid of its score, else the softmax of all.
  bool sigmoid_probabilities() const { return num_classes_ == 1 || config_.several_labels; }
  // What a reranker's files make of its score.
  ModuleActivation rank_activation() const;

  const SentenceSettings& sentence() const { return sentence_; }
  int64_t embedding_size(std::optional<Pooling> pooling) const;
  // Where the model cuts a text by itself: the number of tokens, special ones counted.
  int64_t own_max_tokens() const;

 private:
  // In post-norm models a norm comes after what it follows in the papers, which is before what reads its result: so
  // all families normalise before. Post-norm ones do it in place, as the residual starts from there, too.
  struct EncoderLayer {
    Norm norm_before_attention;  // empty: none, in a post-norm model's first layer
    Linear query_key_value;
    Linear attention_out;
    Norm norm_before_ffn;                 // empty where the lookup has its own
    std::unique_ptr<const Layer> lookup;  // nullptr: dense, with the last two
    Linear lookup_linear;                 // of the lookup's inputs, added to it; empty: none
    Linear up;
    Linear down;
  };
  // A run of whole sequences.
  struct Span {
    int64_t first, last;    // sequences
    int64_t begin, tokens;  // of the call's tokens
  };
  struct Extent;
  struct Layout;  // of the scratch memory
  struct Scratch;

  Span next_span(const ModelCall& call, int64_t first, int64_t end, int64_t most_tokens) const;
  Extent measure(const ModelCall& call) const;
  Layout lay_out(const Extent& extent) const;
  static bool wants_heads(const ModelCall& call);
  size_t heads_bytes(const Extent& extent) const;
  const WordMatrix& decoder() const { return decoder_.empty() ? words_ : decoder_; }
  size_t scratch_bytes() const;
  int64_t chunk_tokens() const;
  int64_t batch_tokens() const;
  void run_stages(const ModelCall& call) const;
  void embed(const Workers& workers, const ModelCall& call, const Span& span, const Rows& hidden) const;
  void attend(const Workers& workers, const EncoderLayer& layer, const ModelCall& call, const Span& span,
              const Rows& hidden, const Scratch& scratch, StageClock& clock) const;
  void normalise(const Workers& workers, const Norm& norm, const Rows& in, int64_t count, const Rows& out,
                 float* copy = nullptr) const;
  void feed_forward(const Workers& workers, const EncoderLayer& layer, const Span& chunk, const Rows& hidden,
                    const Scratch& scratch) const;
  void collect(const Workers& workers, const ModelCall& call, const Span& span, const Rows& hidden,
               const Scratch& scratch) const;
  void predict(const Workers& workers, const ModelCall& call, const Scratch& scratch) const;
  void classify(const Workers& workers, const ModelCall& call, const Scratch& scratch) const;
  void pool(const Workers& workers, const ModelCall& call, const Span& span, const Rows& hidden,
            const Scratch& scratch) const;
  void run_modules(const Workers& workers, const ModelCall& call, const Scratch& scratch) const;
  bool runs_modules(const ModelCall& call) const;
  int64_t widest_module() const;

  ModelConfig config_;
  SentenceSettings sentence_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  const Kernels& kernels_;
  std::shared_ptr<Executor> executor_;
  int32_t num_threads_;
  bool flush_denormals_;
  int32_t intermediate_size_;  // 0: no dense layer
  WordMatrix words_;
  Memory positions_, types_;  // a family without types has one of zeros
  Norm embedding_norm_;
  std::vector<EncoderLayer> layers_;
  Norm final_norm_;
  Linear lm_dense_;
  Norm lm_norm_;
  WordMatrix decoder_;   // empty: the word embeddings
  Memory decoder_bias_;  // padded to whole panels
  int32_t num_classes_;
  Linear class_dense_;
  Linear class_out_;
  std::vector<std::string> labels_;
  std::vector<Linear> modules_;  // as many as sentence_ has; empty for those without weights
  mutable ScratchPool scratch_;
};

// In a single file the settings of a sentence encoder are this metadata, as JSON.
constexpr char kSentenceKey[] = "sentence";

// Reads a model's single file. Throws Error(LFFN_ERROR_BAD_MODEL).
std::unique_ptr<const Model> load_model_file(const Bytes& file, const LoadOptions& options, const Kernels& kernels);

// Reads the files of a folder. Throws Error.
std::unique_ptr<const Model> load_model_folder(const Folder& folder, const LoadOptions& options,
                                               const Kernels& kernels);

// Reads a folder or a single file. Throws Error.
std::unique_ptr<const Model> load_model(const std::string& path, const LoadOptions& options, const Kernels& kernels);

}  // namespace lffn
