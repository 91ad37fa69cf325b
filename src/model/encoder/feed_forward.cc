// SPDX-License-Identifier: Apache-2.0
// The feed-forward block of a layer: neurons or a lookup, what stands beside them, or a bias alone.
#include <algorithm>

#include "model/encoder/pass.h"

namespace lffn {
namespace {

constexpr int64_t kTokensPerPart = 64;

}  // namespace

void Pass::add_bias(const Floats& bias, int64_t tokens, const Rows& hidden) const {
  const int64_t items = (tokens + kTokensPerPart - 1) / kTokensPerPart;
  workers_.run(items, workers_.threads_for(static_cast<double>(tokens * d_)), [&](int64_t item, int32_t) {
    const int64_t end = std::min(tokens, (item + 1) * kTokensPerPart);
    for (int64_t t = item * kTokensPerPart; t < end; ++t) {
      float* row = hidden.row(t);
      for (int64_t i = 0; i < d_; ++i) row[i] += bias.data()[i];
    }
  });
}

// Where no neurons read the tokens before.
void Pass::add_word_rows(const WordRows& word_rows, const KeptTokens& kept, const Rows& hidden) const {
  const int64_t items = (kept.count + kTokensPerPart - 1) / kTokensPerPart;
  workers_.run(items, workers_.threads_for(8.0 * static_cast<double>(kept.count * d_)), [&](int64_t item, int32_t) {
    const int64_t first = item * kTokensPerPart, tokens = std::min(kTokensPerPart, kept.count - first);
    const Rows out = {hidden.row(first), hidden.stride};
    word_rows.add(workers_.kernels, kept.ids + first, weights_.row_of_word, tokens, out, false);
  });
}

// With the rows by word, where there are some, which are added before: while a token's numbers are at hand. Where what
// the block gives is normalised, they are part of it.
void Pass::add_neurons(size_t number, const Reading& read, const KeptTokens& kept, const Rows& hidden) const {
  const LayerWeights& layer = weights_.layers[number];
  const LayerDescription& described = config_.layers[number];
  const Rows beside = {floats(layout_.normed), row_stride(d_)};
  for (int64_t first = 0; first < kept.count; first += layout_.batch_tokens) {
    const WordRowsOfTokens word_rows = {&layer.word_rows, &weights_.row_of_word, kept.ids + first};
    Linear::Call up;
    up.norm = read.norm;
    up.in = {hidden.row(first), hidden.stride};
    up.normed = read.in_place ? up.in : beside;
    up.rows = std::min(layout_.batch_tokens, kept.count - first);
    up.packed = packed();
    up.activation = described.gate == Gate::kNone ? described.activation : Activation::kNone;
    up.out = {floats(layout_.wide), row_stride(layer.up.outputs())};
    Linear::Call down;
    // Bytes are made of the tokens at once; float32 products read them later.
    Linear::Call& adds = layer.up.dtype() == LFFN_INT8 ? up : down;
    if (read.of_result == nullptr) adds.word_rows = layer.word_rows.empty() ? nullptr : &word_rows;
    adds.with_word_rows = up.in;
    layer.up.run(workers_, up);
    down.in = up.out;
    down.gate = described.gate;
    down.gate_activation = described.activation;
    down.rows = up.rows;
    down.packed = up.packed;
    down.add = read.of_result == nullptr;
    down.out = read.of_result == nullptr ? up.in : beside;
    layer.down.run(workers_, down);
    if (read.of_result == nullptr) continue;
    const KeptTokens mine = {nullptr, kept.ids + first, up.rows, 0};
    if (!layer.word_rows.empty()) add_word_rows(layer.word_rows, mine, beside);
    add_normed(*read.of_result, beside, up.rows, up.in);
  }
}

// With the linear layer beside it, where there is one. What it reads lies apart, unless the tokens are that themselves.
void Pass::add_lookup(const LayerWeights& layer, const Reading& read, const KeptTokens& kept,
                      const Rows& hidden) const {
  const int64_t tokens = kept.count;
  if (tokens == 0) return;
  const bool apart = !layer.linear.empty() || (!read.in_place && read.norm != nullptr);
  const Rows inputs = {floats(layout_.inputs), hidden.stride};
  if (apart && !read.in_place) {
    std::copy_n(hidden.data, tokens * hidden.stride, inputs.data);
    if (read.norm != nullptr) normalise(*read.norm, inputs, tokens);
  } else if (read.norm != nullptr) {
    normalise(*read.norm, hidden, tokens, apart ? inputs.data : nullptr);
  }
  ForwardCall forward;
  forward.x = apart ? inputs.data : hidden.data;
  forward.y = read.of_result == nullptr ? hidden.data : inputs.data;
  if (!layer.linear.empty()) {
    for (int64_t first = 0; first < tokens; first += layout_.batch_tokens) {
      Linear::Call linear;
      linear.in = {inputs.row(first), inputs.stride};
      linear.rows = std::min(layout_.batch_tokens, tokens - first);
      linear.packed = packed();
      linear.add = true;
      linear.out = {hidden.row(first), hidden.stride};
      layer.linear.run(workers_, linear);
    }
  }
  forward.x_stride = forward.y_stride = hidden.stride;
  forward.num_tokens = tokens;
  forward.add = read.of_result == nullptr;
  forward.cancel = workers_.cancel;
  layer.lookup.layer().forward(forward, bytes(layout_.stage));
  if (read.of_result == nullptr) return;
  if (!layer.word_rows.empty()) add_word_rows(layer.word_rows, kept, inputs);
  add_normed(*read.of_result, inputs, tokens, hidden);
}

}  // namespace lffn
