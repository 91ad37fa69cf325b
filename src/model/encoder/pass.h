// SPDX-License-Identifier: Apache-2.0
// One call on its way through a model: the workers, the scratch memory and the clock of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "lookupffn/lookupffn.h"
#include "model/encoder/asked_tokens.h"
#include "model/encoder/scratch_layout.h"
#include "model/encoder/workers.h"
#include "model/model.h"

namespace lffn {

// Where the time of one call goes, for those who ask. Runs in the calling thread: the stages follow one another, each
// on all threads.
class StageClock {
 public:
  // seconds: [LFFN_NUM_STAGES] for the result, or nullptr. layers: [num_layers, 2], attention and the feed-forward
  // block of each, or nullptr; filled as the call goes.
  StageClock(double* seconds, double* layers, size_t num_layers) : out_(seconds), layers_(layers) {
    if (layers_ != nullptr) std::fill_n(layers_, 2 * num_layers, 0.0);
    if (runs()) last_ = Clock::now();
  }
  // The laps that follow, but for those of LFFN_STAGE_OTHER, are this layer's.
  void enter(size_t layer) { layer_ = layer; }
  // What passed since the last lap was spent in this stage.
  void lap(int stage) {
    if (!runs()) return;
    const Clock::time_point now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    seconds_[stage] += passed;
    if (layers_ != nullptr && stage != LFFN_STAGE_OTHER)
      layers_[2 * layer_ + (stage == LFFN_STAGE_FFN ? 1 : 0)] += passed;
    last_ = now;
  }
  // At the end, as a call that fails leaves its outputs alone.
  void hand_out() const {
    if (out_ != nullptr) std::copy(seconds_, seconds_ + LFFN_NUM_STAGES, out_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool runs() const { return out_ != nullptr || layers_ != nullptr; }

  double* out_;
  double* layers_;
  size_t layer_ = 0;
  Clock::time_point last_;
  double seconds_[LFFN_NUM_STAGES] = {};
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
  // encoder_layer.cc, feed_forward.cc
  static void gather(const KeptTokens& kept, int64_t first, int64_t count, const Rows& hidden);
  void run_layer(size_t layer, const Span& chunk, const KeptTokens& kept, const Rows& hidden);
  // What a part's input and its result are normalised with.
  struct Reading {
    const Norm* norm = nullptr;       // nullptr: nothing
    bool in_place = false;            // the residual is, too
    const Norm* of_result = nullptr;  // before it is added
  };
  Reading reading(size_t layer, bool attention) const;
  void settle(const Reading& reading, const Rows& hidden, int64_t count) const;
  void add_normed(const Norm& norm, const Rows& result, int64_t count, const Rows& hidden) const;
  void add_attention(size_t layer, const Span& batch, int64_t begin, const KeptTokens& kept, const Rows& hidden);
  void turn_heads(size_t layer, const Span& batch, const KeptTokens& kept, const Rows& wide) const;
  void add_bias(const Floats& bias, int64_t tokens, const Rows& hidden) const;
  void add_word_rows(const WordRows& word_rows, const KeptTokens& kept, const Rows& hidden) const;
  void attend(size_t layer, const Span& batch, const KeptTokens& kept, const Rows& wide, const Rows& summed) const;
  void add_neurons(size_t layer, const Reading& read, const KeptTokens& kept, const Rows& hidden) const;
  void add_lookup(const LayerWeights& layer, const Reading& read, const KeptTokens& kept, const Rows& hidden) const;
  // heads.cc
  void predict() const;
  void score_words(float* states, int64_t rows, size_t stage, int64_t stage_rows, float* logits) const;
  void fill_masks(const Span& chunk, const KeptTokens& kept, const Rows& hidden) const;
  Rows through_class_dense(const Rows& in, int64_t rows) const;
  void pool_for_classes(const Rows& tokens, int64_t sequence, float* out) const;
  void classify(const Span& chunk) const;
  void score_tokens(const Span& chunk, const Rows& hidden) const;
  void prepare_words(const float* states, int64_t rows, const Rows& block) const;
  // late_vectors.cc
  void run_late_layer(size_t number, const Rows& in, int64_t rows, const Rows& out) const;
  void make_token_vectors(const Span& chunk, const Rows& hidden) const;
  void weigh_tokens(const Span& chunk, const Rows& hidden) const;
  // sparse.cc
  void pool_words(const Span& chunk, const Rows& hidden) const;
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
