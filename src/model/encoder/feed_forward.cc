// SPDX-License-Identifier: Apache-2.0
// The feed-forward block of a layer: neurons or a lookup, what stands beside them, or a bias alone.
#include "model/encoder/feed_forward.h"

#include <algorithm>

namespace lffn {
namespace {

constexpr int64_t kTokensPerPart = 64;

}  // namespace

// Applies a norm that is in place, for a part that does not read the rows itself.
void settle(const Pass& pass, const Reading& reading, const Rows& hidden, int64_t count) {
  if (reading.in_place && reading.norm != nullptr) pass.normalise(*reading.norm, hidden, count);
}

// hidden += norm(result); the result is overwritten.
void add_normed(const Pass& pass, const Norm& norm, const Rows& result, int64_t count, const Rows& hidden) {
  const int64_t items = (count + kTokensPerPart - 1) / kTokensPerPart;
  pass.workers.run(items, pass.workers.threads_for(16.0 * static_cast<double>(count * pass.d)),
                   [&](int64_t item, int32_t) {
                     const int64_t first = item * kTokensPerPart, end = std::min(count, first + kTokensPerPart);
                     pass.workers.kernels.normalise(norm.plan(), result.row(first), result.stride, end - first,
                                                    result.row(first), result.stride);
                     for (int64_t t = first; t < end; ++t) {
                       const float* from = result.row(t);
                       float* to = hidden.row(t);
                       for (int64_t i = 0; i < pass.d; ++i) to[i] += from[i];
                     }
                   });
}

void add_bias(const Pass& pass, const Floats& bias, int64_t tokens, const Rows& hidden) {
  const int64_t items = (tokens + kTokensPerPart - 1) / kTokensPerPart;
  pass.workers.run(items, pass.workers.threads_for(static_cast<double>(tokens * pass.d)), [&](int64_t item, int32_t) {
    const int64_t end = std::min(tokens, (item + 1) * kTokensPerPart);
    for (int64_t t = item * kTokensPerPart; t < end; ++t) {
      float* row = hidden.row(t);
      for (int64_t i = 0; i < pass.d; ++i) row[i] += bias.data()[i];
    }
  });
}

// For blocks in which add_neurons does not add them.
void add_word_rows(const Pass& pass, const WordRows& word_rows, const KeptTokens& kept, const Rows& hidden) {
  const int64_t items = (kept.count + kTokensPerPart - 1) / kTokensPerPart;
  pass.workers.run(
      items, pass.workers.threads_for(8.0 * static_cast<double>(kept.count * pass.d)), [&](int64_t item, int32_t) {
        const int64_t first = item * kTokensPerPart, tokens = std::min(kTokensPerPart, kept.count - first);
        const Rows out = {hidden.row(first), hidden.stride};
        word_rows.add(pass.workers.kernels, kept.ids + first, pass.weights.row_of_word, tokens, out, false);
      });
}

// Adds the neurons and the rows by word, if there are any. The rows are added first, while a token's numbers are in the
// cache; where the block's result is normalised, they are a part of that result.
void add_neurons(const Pass& pass, size_t number, const Reading& read, const KeptTokens& kept, const Rows& hidden) {
  const LayerWeights& layer = pass.weights.layers[number];
  const LayerDescription& described = pass.config.layers[number];
  const Borders borders = pass.borders(pass.layout.encoder);
  const Rows beside = {pass.floats(pass.layout.normed), row_stride(pass.d)};
  for (int64_t first = 0; first < kept.count; first += pass.layout.batch_tokens) {
    const WordRowsOfTokens word_rows = {&layer.word_rows, &pass.weights.row_of_word, kept.ids + first};
    Linear::Call up;
    up.norm = read.norm;
    up.in = {hidden.row(first), hidden.stride};
    up.normed = read.in_place ? up.in : beside;
    up.rows = std::min(pass.layout.batch_tokens, kept.count - first);
    up.packed = pass.packed();
    up.activation = described.gate == Gate::kNone ? described.activation : Activation::kNone;
    up.out = {pass.floats(pass.layout.wide), row_stride(layer.up.outputs())};
    Linear::Call down;
    // An int8 layer turns the tokens into bytes first and does not read them again; float32 products still do.
    Linear::Call& adds = layer.up.dtype() == LFFN_DTYPE_INT8 ? up : down;
    if (read.of_result == nullptr) adds.word_rows = layer.word_rows.empty() ? nullptr : &word_rows;
    adds.with_word_rows = up.in;
    layer.up.run(pass.workers, up);
    down.in = up.out;
    down.gate = described.gate;
    down.gate_activation = described.activation;
    down.rows = up.rows;
    down.packed = up.packed;
    down.add = read.of_result == nullptr;
    down.out = read.of_result == nullptr ? up.in : beside;
    layer.down.run(pass.workers, down);
    if (read.of_result == nullptr) continue;
    const KeptTokens mine = {nullptr, kept.ids + first, up.rows, 0};
    if (!layer.word_rows.empty()) add_word_rows(pass, layer.word_rows, mine, beside);
    add_normed(pass, *read.of_result, beside, up.rows, up.in);
  }
}

// Adds the lookup and the linear layer beside it, if there is one. Their input is a copy, unless it is the hidden
// states as they are.
void add_lookup(const Pass& pass, const LayerWeights& layer, const Reading& read, const KeptTokens& kept,
                const Rows& hidden) {
  const int64_t tokens = kept.count;
  if (tokens == 0) return;
  const bool apart = !layer.linear.empty() || (!read.in_place && read.norm != nullptr);
  const Rows inputs = {pass.floats(pass.layout.inputs), hidden.stride};
  if (apart && !read.in_place) {
    std::copy_n(hidden.data, tokens * hidden.stride, inputs.data);
    if (read.norm != nullptr) pass.normalise(*read.norm, inputs, tokens);
  } else if (read.norm != nullptr) {
    pass.normalise(*read.norm, hidden, tokens, apart ? inputs.data : nullptr);
  }
  ForwardCall forward;
  forward.x = apart ? inputs.data : hidden.data;
  forward.y = read.of_result == nullptr ? hidden.data : inputs.data;
  if (!layer.linear.empty()) {
    const Borders borders = pass.borders(pass.layout.encoder);
    for (int64_t first = 0; first < tokens; first += pass.layout.batch_tokens) {
      Linear::Call linear;
      linear.in = {inputs.row(first), inputs.stride};
      linear.rows = std::min(pass.layout.batch_tokens, tokens - first);
      linear.packed = pass.packed();
      linear.add = true;
      linear.out = {hidden.row(first), hidden.stride};
      layer.linear.run(pass.workers, linear);
    }
  }
  forward.x_stride = forward.y_stride = hidden.stride;
  forward.num_tokens = tokens;
  forward.add = read.of_result == nullptr;
  forward.cancel = pass.workers.cancel;
  layer.lookup.layer().forward(forward, pass.bytes(pass.layout.stage));
  if (read.of_result == nullptr) return;
  if (!layer.word_rows.empty()) add_word_rows(pass, layer.word_rows, kept, inputs);
  add_normed(pass, *read.of_result, inputs, tokens, hidden);
}

}  // namespace lffn
