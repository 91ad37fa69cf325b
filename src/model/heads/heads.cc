// SPDX-License-Identifier: Apache-2.0
// What is made of the hidden states: vocabulary logits, scores of texts and of tokens. Embeddings are in pooling.cc.
#include <algorithm>

#include "model/encoder/pass.h"
#include "model/heads/tasks.h"

namespace lffn {

// What the language model's head scores words with.
void Pass::prepare_words(const float* states, int64_t rows, const Rows& block) const {
  Linear::Call dense;
  dense.in = {const_cast<float*>(states), d_};  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is read
  dense.rows = rows;
  dense.activation = model_.family().lm_activation_is_gelu ? Activation::kGelu : config_.activation;
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

void Pass::classify(const Span& chunk) const {
  const int64_t classes = model_.num_classes(), sequences = chunk.last - chunk.first;
  float* const scores = call_.class_scores + chunk.first * classes;
  for (int64_t first = 0; first < sequences; first += kHeadRows) {
    Linear::Call dense;
    dense.in = {floats(layout_.firsts) + first * d_, d_};
    dense.rows = std::min(kHeadRows, sequences - first);
    dense.activation = config_.class_activation;
    dense.out = {floats(layout_.stage), row_stride(d_)};
    weights_.class_dense.run(workers_, dense);
    Linear::Call out;
    out.in = dense.out;
    out.rows = dense.rows;
    out.out = {scores + first * classes, classes};
    weights_.class_out.run(workers_, out);
  }
  for (int64_t s = chunk.first; s < chunk.last; ++s) {
    if (call_.length(s) == 0) std::fill_n(call_.class_scores + s * classes, classes, 0.0f);
  }
}

void Pass::make_token_vectors(const Span& chunk, const Rows& hidden) const {
  const int64_t size = model_.token_vector_size();
  const Rows out = {call_.token_vectors + chunk.begin * size, size};
  const bool projects = !weights_.token_vectors.empty();
  if (projects) {
    Linear::Call project;
    project.in = hidden;
    project.rows = chunk.tokens;
    project.out = out;
    weights_.token_vectors.run(workers_, project);
  }
  const bool scales = call_.scaling == Scaling::kYes || (call_.scaling == Scaling::kAsModel && projects);
  constexpr int64_t kPerItem = 64;
  workers_.run((chunk.tokens + kPerItem - 1) / kPerItem,
               workers_.threads_for(4.0 * static_cast<double>(chunk.tokens * size)), [&](int64_t item, int32_t) {
                 const int64_t last = std::min(chunk.tokens, (item + 1) * kPerItem);
                 for (int64_t t = item * kPerItem; t < last; ++t) {
                   if (!projects) std::copy_n(hidden.row(t), size, out.row(t));
                   if (scales) scale_to_one(out.row(t), size);
                 }
               });
}

void Pass::score_tokens(const Span& chunk, const Rows& hidden) const {
  Linear::Call scores;
  const int64_t classes = model_.num_token_classes();
  scores.in = hidden;
  scores.rows = chunk.tokens;
  scores.out = {call_.token_scores + chunk.begin * classes, classes};
  model_.token_out().run(workers_, scores);
}

}  // namespace lffn
