// A whole model, ready to run: a pre-norm RoBERTa encoder with lookup or vanilla FFNs, and its heads. Never changes
// after it was made.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layer/layer.h"
#include "model/linear.h"
#include "model/model_config.h"
#include "model/model_tensors.h"
#include "model/tokenizer/tokenizer.h"

namespace lffn {

// Sequences of token ids back to back, and what is wanted of them: outputs that are nullptr are not computed.
struct ModelCall {
  const int32_t* ids = nullptr;
  const int64_t* offsets = nullptr;  // [num_sequences + 1], the first one 0
  int64_t num_sequences = 0;
  float* hidden = nullptr;  // [tokens][hidden_size]
  const int64_t* positions = nullptr;
  int64_t num_positions = 0;
  float* logits = nullptr;        // [num_positions][vocab_size]
  float* class_scores = nullptr;  // [num_sequences][num_classes]
  int32_t pooling = LFFN_POOLING_FIRST;
  bool normalize = false;
  float* embeddings = nullptr;  // [num_sequences][hidden_size]
  const int32_t* cancel = nullptr;
  double* seconds = nullptr;  // [LFFN_NUM_STAGES]
};

class StageClock;

class Model {
 public:
  // Copies what it needs of the tensors. The tokenizer may be nullptr. Throws Error.
  Model(ModelConfig config, const ModelTensors& tensors, std::unique_ptr<const Tokenizer> tokenizer,
        const LoadOptions& options, const Kernels& kernels);

  // The call must be sound: ids in the vocabulary, offsets in order, sequences not too long, the heads there.
  void run(const ModelCall& call) const;
  void save(const std::string& path) const;
  lffn_model_info info() const;
  const ModelConfig& config() const { return config_; }
  const Tokenizer* tokenizer() const { return tokenizer_.get(); }  // nullptr: none
  bool has_lm_head() const { return lm_norm_.bytes() > 0; }
  int32_t num_classes() const { return num_classes_; }

 private:
  struct EncoderLayer {
    Norm attention_norm;
    Linear query_key_value;
    Linear attention_out;
    std::unique_ptr<const Layer> lookup;  // nullptr: vanilla, with the three below
    Norm ffn_norm;
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
  size_t heads_bytes(const Extent& extent) const;
  int64_t scratch_bytes() const;
  int64_t chunk_tokens() const;
  void run_stages(const ModelCall& call) const;
  void embed(const Workers& workers, const ModelCall& call, const Span& span, const Rows& hidden) const;
  void attend(const Workers& workers, const EncoderLayer& layer, const ModelCall& call, const Span& span,
              const Rows& hidden, const Scratch& scratch, StageClock& clock) const;
  void feed_forward(const Workers& workers, const EncoderLayer& layer, const Span& chunk, const Rows& hidden,
                    const Scratch& scratch) const;
  void collect(const Workers& workers, const ModelCall& call, const Span& span, const Rows& hidden,
               const Scratch& scratch) const;
  void predict(const Workers& workers, const ModelCall& call, const Scratch& scratch) const;
  void classify(const Workers& workers, const ModelCall& call, const Scratch& scratch) const;

  ModelConfig config_;
  std::unique_ptr<const Tokenizer> tokenizer_;
  const Kernels& kernels_;
  std::shared_ptr<Executor> executor_;
  int32_t num_threads_;
  bool flush_denormals_;
  int32_t intermediate_size_;  // 0: no vanilla layer
  Memory words_, positions_, types_;
  Norm embedding_norm_;
  std::vector<EncoderLayer> layers_;
  Norm final_norm_;
  Linear lm_dense_;
  Norm lm_norm_;
  Memory decoder_;       // empty: the word embeddings
  Memory decoder_bias_;  // padded to whole panels
  int32_t num_classes_;
  Linear class_dense_;
  Linear class_out_;
  mutable ScratchPool scratch_;
};

// In a single file the tokenizer is a tensor of bytes, the text of a tokenizer.json.
constexpr char kTokenizerTensor[] = "tokenizer.json";

// Reads a model's single file. Throws Error(LFFN_ERROR_BAD_MODEL).
std::unique_ptr<const Model> load_model_file(const void* data, size_t size, const LoadOptions& options,
                                             const Kernels& kernels);

// Reads a folder or a single file. Throws Error.
std::unique_ptr<const Model> load_model(const std::string& path, const LoadOptions& options, const Kernels& kernels);

}  // namespace lffn
