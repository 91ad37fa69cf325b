// What is made of the hidden states: pooled embeddings, vocabulary logits, class scores.
#include <algorithm>
#include <cmath>

#include "model/scratch_layout.h"

namespace lffn {
namespace {

// Rows that go through a head at once: each reads all of its weights.
constexpr int64_t kBlockRows = 2 * kLinearRows;
// Outputs of the decoder that are laid in panels at once.
constexpr int64_t kDecoderOutputs = 4 * kPanel;

size_t block_bytes(int64_t rows, int64_t size) { return floats_bytes(std::min(rows, kBlockRows), row_stride(size)); }

// One sequence of at least one token.
void pool(const Rows& hidden, int64_t tokens, int64_t d, int32_t pooling, bool normalize, float* out) {
  std::copy_n(hidden.data, d, out);
  for (int64_t t = 1; t < tokens && pooling != LFFN_POOLING_FIRST; ++t) {
    const float* row = hidden.row(t);
    if (pooling == LFFN_POOLING_MEAN) {
      for (int64_t i = 0; i < d; ++i) out[i] += row[i];
    } else {
      for (int64_t i = 0; i < d; ++i) out[i] = row[i] > out[i] ? row[i] : out[i];
    }
  }
  if (pooling == LFFN_POOLING_MEAN) {
    for (int64_t i = 0; i < d; ++i) out[i] /= static_cast<float>(tokens);
  }
  if (!normalize) return;
  double squares = 0;
  for (int64_t i = 0; i < d; ++i) squares += double{out[i]} * double{out[i]};
  const double length = std::sqrt(squares);
  if (length == 0) return;
  for (int64_t i = 0; i < d; ++i) out[i] = static_cast<float>(double{out[i]} / length);
}

}  // namespace

size_t Model::heads_bytes(const Extent& extent) const {
  const int64_t d = config_.hidden_size;
  const size_t logits =
      extent.positions == 0 ? 0 : block_bytes(extent.positions, d) + floats_bytes(num_threads_ * kDecoderOutputs, d);
  return std::max(logits, block_bytes(extent.sequences, d));
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
      std::copy_n(hidden.row(call.offsets[s] - chunk.begin), d, firsts + s * d);
    }
  }
  if (call.embeddings == nullptr) return;
  workers.run(chunk.last - chunk.first, workers.threads_for(4.0 * static_cast<double>(chunk.tokens * d)),
              [&](int64_t item, int32_t) {
                const int64_t s = chunk.first + item;
                pool({hidden.row(call.offsets[s] - chunk.begin), d}, call.offsets[s + 1] - call.offsets[s], d,
                     call.pooling, call.normalize, call.embeddings + s * d);
              });
}

void Model::predict(const Workers& workers, const ModelCall& call, const Scratch& scratch) const {
  const int64_t d = config_.hidden_size, vocabulary = config_.vocab_size;
  const float* decoder = decoder_.size() > 0 ? decoder_.as<float>() : words_.as<float>();
  const Rows block = {scratch.floats(scratch.layout.stage), row_stride(d)};
  float* panels = block.row(std::min(call.num_positions, kBlockRows));
  for (int64_t first = 0; first < call.num_positions; first += kBlockRows) {
    const int64_t rows = std::min(kBlockRows, call.num_positions - first);
    Linear::Call dense;
    dense.in = {scratch.floats(scratch.layout.asked) + first * d, d};
    dense.rows = rows;
    dense.activation = Activation::kGelu;
    dense.out = block;
    lm_dense_.run(workers, dense);
    kernels_.normalise(lm_norm_.plan(), block.data, block.stride, rows, block.data, block.stride);
    const int64_t items = (vocabulary + kDecoderOutputs - 1) / kDecoderOutputs;
    const double flop = 2.0 * static_cast<double>(rows * d) * static_cast<double>(vocabulary);
    workers.run(items, workers.threads_for(flop), [&](int64_t item, int32_t thread) {
      const int64_t output = item * kDecoderOutputs;
      LinearPlan plan = {};
      plan.outputs = std::min(kDecoderOutputs, vocabulary - output);
      float* mine = panels + thread * kDecoderOutputs * d;
      kernels_.lay_panels(decoder + output * d, d, plan.outputs, d, mine);
      plan.in = block.data;
      plan.in_stride = block.stride;
      plan.rows = rows;
      plan.inputs = d;
      plan.weights = mine;
      plan.bias = decoder_bias_.as<float>() + output;
      plan.out = call.logits + first * vocabulary + output;
      plan.out_stride = vocabulary;
      kernels_.linear(plan);
    });
  }
}

void Model::classify(const Workers& workers, const ModelCall& call, const Scratch& scratch) const {
  const int64_t d = config_.hidden_size;
  for (int64_t first = 0; first < call.num_sequences; first += kBlockRows) {
    Linear::Call dense;
    dense.in = {scratch.floats(scratch.layout.firsts) + first * d, d};
    dense.rows = std::min(kBlockRows, call.num_sequences - first);
    dense.activation = Activation::kTanh;
    dense.out = {scratch.floats(scratch.layout.stage), row_stride(d)};
    class_dense_.run(workers, dense);
    Linear::Call scores;
    scores.in = dense.out;
    scores.rows = dense.rows;
    scores.out = {call.class_scores + first * num_classes_, num_classes_};
    class_out_.run(workers, scores);
  }
}

}  // namespace lffn
