// SPDX-License-Identifier: Apache-2.0
// What is made of the hidden states: vocabulary logits, scores of texts and of tokens. Embeddings are in pooling.cc.
#include <algorithm>

#include "model/pass.h"

namespace lffn {

void Pass::predict() const {
  const int64_t vocabulary = config_.vocab_size;
  const Rows block = {floats(layout_.stage), row_stride(config_.embedding_size)};
  for (int64_t first = 0; first < call_.num_positions; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, call_.num_positions - first);
    Linear::Call dense;
    dense.in = {floats(layout_.asked) + first * d_, d_};
    dense.rows = rows;
    dense.activation = model_.family().lm_activation_is_gelu ? Activation::kGelu : config_.activation;
    dense.out = block;
    weights_.lm_dense.run(workers_, dense);
    workers_.kernels.normalise(weights_.lm_norm.plan(), block.data, block.stride, rows, block.data, block.stride);
    WordMatrix::Call words;
    words.in = block;
    words.rows = rows;
    words.bias = weights_.decoder_bias.data();
    words.out = {call_.logits + first * vocabulary, vocabulary};
    words.scratch = reinterpret_cast<uint8_t*>(block.row(std::min(call_.num_positions, kHeadRows)));
    model_.decoder().score(workers_, words);
  }
}

void Pass::classify() const {
  const int64_t classes = model_.num_classes();
  for (int64_t first = 0; first < call_.num_sequences; first += kHeadRows) {
    Linear::Call dense;
    dense.in = {floats(layout_.firsts) + first * d_, d_};
    dense.rows = std::min(kHeadRows, call_.num_sequences - first);
    dense.activation = config_.class_activation;
    dense.out = {floats(layout_.stage), row_stride(d_)};
    weights_.class_dense.run(workers_, dense);
    Linear::Call scores;
    scores.in = dense.out;
    scores.rows = dense.rows;
    scores.out = {call_.class_scores + first * classes, classes};
    weights_.class_out.run(workers_, scores);
  }
  for (int64_t s = 0; s < call_.num_sequences; ++s) {
    if (call_.length(s) == 0) std::fill_n(call_.class_scores + s * classes, classes, 0.0f);
  }
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
