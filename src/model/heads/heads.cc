// SPDX-License-Identifier: Apache-2.0
// What is made of the hidden states: vocabulary logits, scores of texts and of tokens. Embeddings are in pooling.cc.
#include <algorithm>

#include "model/encoder/pass.h"
#include "model/heads/embedding_forms.h"
#include "model/heads/scores.h"

namespace lffn {

// What the language model's head scores words with.
void Pass::prepare_words(const float* states, int64_t rows, const Rows& block) const {
  if (weights_.lm_dense.empty()) {
    for (int64_t r = 0; r < rows; ++r) std::copy_n(states + r * d_, d_, block.row(r));
    return;
  }
  Linear::Call dense;
  dense.in = {const_cast<float*>(states), d_};  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is read
  dense.rows = rows;
  dense.activation = config_.lm_activation;
  dense.out = block;
  weights_.lm_dense.run(workers_, dense);
  workers_.kernels.normalise(weights_.lm_norm.plan(), block.data, block.stride, rows, block.data, block.stride);
}

// The language model's head on some rows of hidden states, back to back. `stage` has room for stage_rows of them and
// what scoring them takes.
void Pass::score_words(float* states, int64_t rows, size_t stage, int64_t stage_rows, float* logits) const {
  const Rows block = {floats(stage), row_stride(config_.embedding_size)};
  prepare_words(states, rows, block);
  WordMatrix::Call words;
  words.in = block;
  words.rows = rows;
  words.bias = weights_.decoder_bias.data();
  words.out = {logits, config_.vocab_size};
  words.scratch = reinterpret_cast<uint8_t*>(block.row(stage_rows));
  model_.decoder().score(workers_, words);
}

void Pass::predict() const {
  const int64_t most = std::min(call_.num_positions, kHeadRows);
  for (int64_t first = 0; first < call_.num_positions; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, call_.num_positions - first);
    score_words(floats(layout_.asked) + first * d_, rows, layout_.stage, most,
                call_.logits + first * config_.vocab_size);
  }
}

// A block of masks after the other: the logits of all would be vocab_size numbers for each.
void Pass::fill_masks(const Span& chunk, const KeptTokens& kept, const Rows& hidden) const {
  const int64_t vocabulary = config_.vocab_size, k = call_.top_k;
  const int64_t* const end = std::lower_bound(call_.masks, call_.masks + call_.num_masks, chunk.begin + chunk.tokens);
  const int64_t* mask = std::lower_bound(call_.masks, end, chunk.begin);
  float* const states = floats(layout_.mask_states);
  float* const logits = floats(layout_.mask_logits);
  while (mask < end) {
    const int64_t rows = std::min<int64_t>(layout_.head_rows, end - mask), first = mask - call_.masks;
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(hidden.row(kept.before(mask[r] - chunk.begin)), d_, states + r * d_);
    }
    score_words(states, rows, layout_.mask_stage, layout_.head_rows, logits);
    workers_.run(rows, workers_.threads_for(16.0 * static_cast<double>(rows * vocabulary)), [&](int64_t r, int32_t) {
      most_likely(logits + r * vocabulary, config_.vocab_size, call_.top_k, call_.filling_ids + (first + r) * k,
                  call_.filling_probabilities != nullptr ? call_.filling_probabilities + (first + r) * k : nullptr);
    });
    mask += rows;
  }
}

// Rows, at most kHeadRows of them, through what stands before the classes' scores.
Rows Pass::through_class_dense(const Rows& in, int64_t rows) const {
  if (weights_.class_dense.empty()) return in;
  Linear::Call dense;
  dense.in = in;
  dense.rows = rows;
  dense.activation = config_.class_activation;
  dense.out = {floats(layout_.stage), row_stride(d_)};
  weights_.class_dense.run(workers_, dense);
  if (!weights_.class_norm.empty()) {
    workers_.kernels.normalise(weights_.class_norm.plan(), dense.out.data, dense.out.stride, rows, dense.out.data,
                               dense.out.stride);
  }
  return dense.out;
}

// The vector of a sequence that its classes are scored of.
void Pass::pool_for_classes(const Rows& tokens, int64_t sequence, float* out) const {
  const int64_t length = call_.length(sequence);
  const ClassPooling pooling = config_.class_pooling;
  if (pooling == ClassPooling::kFirst) return void(std::copy_n(tokens.row(0), d_, out));
  if (pooling == ClassPooling::kLast) {
    return void(std::copy_n(tokens.row(last_class_token(model_, call_, sequence)), d_, out));
  }
  std::fill_n(out, d_, 0.0f);
  for (int64_t first = 0; first < length; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, length - first);
    Rows now = {tokens.row(first), tokens.stride};
    if (pooling == ClassPooling::kLate) now = through_class_dense(now, rows);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < d_; ++i) out[i] += now.row(r)[i];
    }
  }
  for (int64_t i = 0; i < d_; ++i) out[i] /= static_cast<float>(length);
}

void Pass::classify(const Span& chunk) const {
  const int64_t classes = model_.num_classes(), sequences = chunk.last - chunk.first;
  float* const scores = call_.class_scores + chunk.first * classes;
  for (int64_t first = 0; first < sequences; first += kHeadRows) {
    Linear::Call out;
    out.in = {floats(layout_.firsts) + first * d_, d_};
    out.rows = std::min(kHeadRows, sequences - first);
    if (config_.class_pooling != ClassPooling::kLate) out.in = through_class_dense(out.in, out.rows);
    out.out = {scores + first * classes, classes};
    weights_.class_out.run(workers_, out);
  }
  for (int64_t s = chunk.first; s < chunk.last; ++s) {
    if (call_.length(s) == 0) std::fill_n(call_.class_scores + s * classes, classes, 0.0f);
  }
}

void Pass::score_tokens(const Span& chunk, const Rows& hidden) const {
  const int64_t classes = model_.num_token_classes();
  const int64_t at_once = model_.puts_tokens_through_dense() ? kHeadRows : chunk.tokens;
  for (int64_t first = 0; first < chunk.tokens; first += at_once) {
    Linear::Call scores;
    scores.rows = std::min(at_once, chunk.tokens - first);
    scores.in = through_class_dense({hidden.row(first), hidden.stride}, scores.rows);
    scores.out = {call_.token_scores + (chunk.begin + first) * classes, classes};
    model_.token_out().run(workers_, scores);
  }
}

}  // namespace lffn
