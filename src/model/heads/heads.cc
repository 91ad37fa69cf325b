// SPDX-License-Identifier: Apache-2.0
// What is made of the hidden states: vocabulary logits, scores of texts and of tokens. Embeddings are in pooling.cc.
#include "model/heads/heads.h"

#include <algorithm>

#include "model/heads/embedding_forms.h"
#include "model/heads/scores.h"

namespace lffn {

// What the language model's head scores words with.
void prepare_words(const Pass& pass, const float* states, int64_t rows, const Rows& block) {
  if (pass.weights.lm_dense.empty()) {
    for (int64_t r = 0; r < rows; ++r) std::copy_n(states + r * pass.d, pass.d, block.row(r));
    return;
  }
  Linear::Call dense;
  dense.in = {const_cast<float*>(states), pass.d};  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is read
  dense.rows = rows;
  dense.activation = pass.config.lm_activation;
  dense.out = block;
  pass.weights.lm_dense.run(pass.workers, dense);
  pass.workers.kernels.normalise(pass.weights.lm_norm.plan(), block.data, block.stride, rows, block.data, block.stride);
}

namespace {

// The language model's head on some rows of hidden states, back to back.
void score_words(const Pass& pass, float* states, int64_t rows, const WordScratch& scratch, float* logits) {
  const Rows block = {pass.floats(scratch.block), row_stride(pass.config.embedding_size)};
  prepare_words(pass, states, rows, block);
  WordMatrix::Call words;
  words.in = block;
  words.rows = rows;
  words.bias = pass.weights.decoder_bias.data();
  words.out = {logits, pass.config.vocab_size};
  words.scratch = pass.bytes(scratch.words);
  pass.model.decoder().score(pass.workers, words);
}

}  // namespace

void predict(const Pass& pass) {
  const Borders borders = pass.borders(pass.layout.logits);
  for (int64_t first = 0; first < pass.call.num_positions; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, pass.call.num_positions - first);
    score_words(pass, pass.floats(pass.layout.asked) + first * pass.d, rows, pass.layout.positions,
                pass.call.logits + first * pass.config.vocab_size);
  }
}

// A block of masks after the other: the logits of all would be vocab_size numbers for each.
void fill_masks(const Pass& pass, const Span& chunk, const KeptTokens& kept, const Rows& hidden) {
  const int64_t vocabulary = pass.config.vocab_size, k = pass.call.top_k;
  const int64_t* const end =
      std::lower_bound(pass.call.masks, pass.call.masks + pass.call.num_masks, chunk.begin + chunk.tokens);
  const int64_t* mask = std::lower_bound(pass.call.masks, end, chunk.begin);
  const Borders borders = pass.borders(pass.layout.masks);
  float* const states = pass.floats(pass.layout.mask_states);
  float* const logits = pass.floats(pass.layout.mask_logits);
  while (mask < end) {
    const int64_t rows = std::min<int64_t>(pass.layout.head_rows, end - mask), first = mask - pass.call.masks;
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(hidden.row(kept.before(mask[r] - chunk.begin)), pass.d, states + r * pass.d);
    }
    score_words(pass, states, rows, pass.layout.mask_words, logits);
    pass.workers.run(
        rows, pass.workers.threads_for(16.0 * static_cast<double>(rows * vocabulary)), [&](int64_t r, int32_t) {
          most_likely(
              logits + r * vocabulary, pass.config.vocab_size, pass.call.top_k, pass.call.filling_ids + (first + r) * k,
              pass.call.filling_probabilities != nullptr ? pass.call.filling_probabilities + (first + r) * k : nullptr);
        });
    mask += rows;
  }
}

namespace {

// Rows, at most kHeadRows of them, through what stands before the classes' scores.
Rows through_class_dense(const Pass& pass, const Rows& in, int64_t rows) {
  if (pass.weights.class_dense.empty()) return in;
  Linear::Call dense;
  dense.in = in;
  dense.rows = rows;
  dense.activation = pass.config.class_activation;
  dense.out = {pass.floats(pass.layout.stage), row_stride(pass.d)};
  pass.weights.class_dense.run(pass.workers, dense);
  if (!pass.weights.class_norm.empty()) {
    pass.workers.kernels.normalise(pass.weights.class_norm.plan(), dense.out.data, dense.out.stride, rows,
                                   dense.out.data, dense.out.stride);
  }
  return dense.out;
}

}  // namespace

// The vector of a sequence that its classes are scored of.
void pool_for_classes(const Pass& pass, const Rows& tokens, int64_t sequence, float* out) {
  const int64_t length = pass.call.length(sequence);
  const ClassPooling pooling = pass.config.class_pooling;
  if (pooling == ClassPooling::kFirst) return void(std::copy_n(tokens.row(0), pass.d, out));
  if (pooling == ClassPooling::kLast) {
    return void(std::copy_n(tokens.row(last_class_token(pass.model, pass.call, sequence)), pass.d, out));
  }
  std::fill_n(out, pass.d, 0.0f);
  const Borders borders = pass.borders(pass.layout.classes);
  for (int64_t first = 0; first < length; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, length - first);
    Rows now = {tokens.row(first), tokens.stride};
    if (pooling == ClassPooling::kLate) now = through_class_dense(pass, now, rows);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < pass.d; ++i) out[i] += now.row(r)[i];
    }
  }
  for (int64_t i = 0; i < pass.d; ++i) out[i] /= static_cast<float>(length);
}

void classify(const Pass& pass, const Span& chunk) {
  const int64_t classes = pass.model.num_classes(), sequences = chunk.last - chunk.first;
  float* const scores = pass.call.class_scores + chunk.first * classes;
  const Borders borders = pass.borders(pass.layout.classes);
  for (int64_t first = 0; first < sequences; first += kHeadRows) {
    Linear::Call out;
    out.in = {pass.floats(pass.layout.firsts) + first * pass.d, pass.d};
    out.rows = std::min(kHeadRows, sequences - first);
    if (pass.config.class_pooling != ClassPooling::kLate) out.in = through_class_dense(pass, out.in, out.rows);
    out.out = {scores + first * classes, classes};
    pass.weights.class_out.run(pass.workers, out);
  }
  for (int64_t s = chunk.first; s < chunk.last; ++s) {
    if (pass.call.length(s) == 0) std::fill_n(pass.call.class_scores + s * classes, classes, 0.0f);
  }
}

void score_tokens(const Pass& pass, const Span& chunk, const Rows& hidden) {
  const int64_t classes = pass.model.num_token_classes();
  const int64_t at_once = pass.model.puts_tokens_through_dense() ? kHeadRows : chunk.tokens;
  const Borders borders = pass.borders(pass.layout.classes);
  for (int64_t first = 0; first < chunk.tokens; first += at_once) {
    Linear::Call scores;
    scores.rows = std::min(at_once, chunk.tokens - first);
    scores.in = through_class_dense(pass, {hidden.row(first), hidden.stride}, scores.rows);
    scores.out = {pass.call.token_scores + (chunk.begin + first) * classes, classes};
    pass.model.token_out().run(pass.workers, scores);
  }
}

}  // namespace lffn
