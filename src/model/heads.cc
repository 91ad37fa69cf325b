// SPDX-License-Identifier: Apache-2.0
// What is made of the hidden states: vocabulary logits and class scores. Embeddings are in embeddings.cc.
#include <algorithm>

#include "model/scratch_layout.h"

namespace lffn {
namespace {

size_t block_bytes(int64_t rows, int64_t size) { return floats_bytes(std::min(rows, kHeadRows), row_stride(size)); }

}  // namespace

size_t Model::heads_bytes(const Extent& extent) const {
  const int64_t d = config_.hidden_size;
  const int64_t positions = std::min(extent.positions, kHeadRows);
  const size_t logits = positions == 0 ? 0 : block_bytes(positions, d) + decoder().scratch_bytes(positions);
  return std::max({logits, block_bytes(extent.sequences, d), 2 * block_bytes(extent.pooled, widest_module())});
}

// Keeps of a chunk's hidden states what the heads will read, and pools them.
void Model::collect(const Workers& workers, const ModelCall& call, const Span& chunk, const Rows& hidden,
                    const Scratch& scratch) const {
  const int64_t d = config_.hidden_size;
  if (call.logits != nullptr) {
    float* asked = scratch.floats(scratch.layout.asked);
    for (int64_t i = 0; i < call.num_positions; ++i) {
      const int64_t at = call.positions[i] - chunk.begin;
      if (at >= 0 && at < chunk.tokens) std::copy_n(hidden.row(at), d, asked + i * d);
    }
  }
  if (call.class_scores != nullptr) {
    float* firsts = scratch.floats(scratch.layout.firsts);
    for (int64_t s = chunk.first; s < chunk.last; ++s) {
      if (call.offsets[s] == call.offsets[s + 1]) {
        std::fill_n(firsts + s * d, d, 0.0f);
      } else {
        std::copy_n(hidden.row(call.offsets[s] - chunk.begin), d, firsts + s * d);
      }
    }
  }
  if (call.embeddings != nullptr) pool(workers, call, chunk, hidden, scratch);
}

void Model::predict(const Workers& workers, const ModelCall& call, const Scratch& scratch) const {
  const int64_t d = config_.hidden_size, vocabulary = config_.vocab_size;
  const Rows block = {scratch.floats(scratch.layout.stage), row_stride(d)};
  for (int64_t first = 0; first < call.num_positions; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, call.num_positions - first);
    Linear::Call dense;
    dense.in = {scratch.floats(scratch.layout.asked) + first * d, d};
    dense.rows = rows;
    dense.activation = family().lm_activation_is_gelu ? Activation::kGelu : config_.activation;
    dense.out = block;
    lm_dense_.run(workers, dense);
    kernels_.normalise(lm_norm_.plan(), block.data, block.stride, rows, block.data, block.stride);
    WordMatrix::Call words;
    words.in = block;
    words.rows = rows;
    words.bias = decoder_bias_.as<float>();
    words.out = {call.logits + first * vocabulary, vocabulary};
    words.scratch = reinterpret_cast<uint8_t*>(block.row(std::min(call.num_positions, kHeadRows)));
    decoder().score(workers, words);
  }
}

void Model::classify(const Workers& workers, const ModelCall& call, const Scratch& scratch) const {
  const int64_t d = config_.hidden_size;
  for (int64_t first = 0; first < call.num_sequences; first += kHeadRows) {
    Linear::Call dense;
    dense.in = {scratch.floats(scratch.layout.firsts) + first * d, d};
    dense.rows = std::min(kHeadRows, call.num_sequences - first);
    dense.activation = family().class_activation;
    dense.out = {scratch.floats(scratch.layout.stage), row_stride(d)};
    class_dense_.run(workers, dense);
    Linear::Call scores;
    scores.in = dense.out;
    scores.rows = dense.rows;
    scores.out = {call.class_scores + first * num_classes_, num_classes_};
    class_out_.run(workers, scores);
  }
  for (int64_t s = 0; s < call.num_sequences; ++s) {
    if (call.offsets[s] == call.offsets[s + 1]) std::fill_n(call.class_scores + s * num_classes_, num_classes_, 0.0f);
  }
}

}  // namespace lffn
