// SPDX-License-Identifier: Apache-2.0
// One call on its way through a model: the workers, the scratch memory and the clock of it.
#pragma once

#include <algorithm>
#include <optional>

#include "model/model.h"
#include "model/scratch_layout.h"
#include "model/stage_clock.h"
#include "model/workers.h"

namespace lffn {

// The tokens of a chunk whose hidden states go on, in rows one after another.
struct KeptTokens {
  const int32_t* tokens;  // their numbers in the chunk, rising; nullptr: all of them
  const int32_t* ids;
  int64_t count;
  int64_t begin;  // the chunk's first token in the call
  bool some() const { return tokens != nullptr; }
  // How many are before this token of the chunk: if it is kept, its row.
  int64_t before(int64_t token) const {
    return tokens == nullptr ? token : std::lower_bound(tokens, tokens + count, token) - tokens;
  }
};

class Pass {
 public:
  // Both must outlive it.
  Pass(const Model& model, const ModelCall& call);
  void run();

 private:
  // pass.cc
  void embed(const Span& chunk, const Rows& hidden) const;
  void add_embeddings(const Span& span, const Rows& to) const;
  void normalise(const Norm& norm, const Rows& rows, int64_t count, float* copy = nullptr) const;
  void collect(const Span& chunk, const KeptTokens& kept, const Rows& hidden) const;
  // kept.cc
  KeptTokens keep_all(const Span& chunk) const { return {nullptr, call_.ids + chunk.begin, chunk.tokens, chunk.begin}; }
  KeptTokens keep_asked(const Span& chunk) const;
  static void gather(const KeptTokens& kept, int64_t first, int64_t count, const Rows& hidden);
  // encoder_layer.cc
  void run_layer(size_t layer, const Span& chunk, const KeptTokens& kept, const Rows& hidden);
  void add_bias(const Floats& bias, int64_t tokens, const Rows& hidden) const;
  void add_words(const WordRows& words, const KeptTokens& kept, const Rows& hidden) const;
  void attend(size_t layer, const Span& batch, const KeptTokens& kept, const Rows& wide, const Rows& summed) const;
  void add_neurons(const LayerWeights& layer, const Norm& norm, const KeptTokens& kept, const Rows& hidden) const;
  void add_lookup(const LayerWeights& layer, const Norm& norm, int64_t tokens, const Rows& hidden) const;
  // heads.cc
  void predict() const;
  void score_words(float* states, int64_t rows, size_t stage, int64_t stage_rows, float* logits) const;
  void fill_masks(const Span& chunk, const KeptTokens& kept, const Rows& hidden) const;
  void classify(const Span& chunk) const;
  void score_tokens(const Span& chunk, const Rows& hidden) const;
  void make_token_vectors(const Span& chunk, const Rows& hidden) const;
  // pooling.cc
  void pool(const Span& chunk, const KeptTokens& kept, const Rows& hidden) const;
  void run_modules(const Span& chunk) const;

  uint8_t* bytes(size_t offset) const { return scratch_->data() + offset; }
  float* floats(size_t offset) const { return reinterpret_cast<float*>(bytes(offset)); }
  Linear::Packed packed() const { return {reinterpret_cast<int32_t*>(bytes(layout_.packed)), layout_.packed_stride}; }

  const Model& model_;
  const ModelConfig& config_;
  const Weights& weights_;
  const ModelCall& call_;
  const int64_t d_;        // hidden_size
  const bool norms_wide_;  // the embeddings' norm is of widened vectors
  const Workers workers_;
  StageClock clock_;
  ScratchLayout layout_;
  std::optional<ScratchPool::Lease> scratch_;
};

}  // namespace lffn
