// SPDX-License-Identifier: Apache-2.0
// One encoder layer: attention for a batch of whole sequences at a time, then the feed-forward block for all of them.
#include <algorithm>
#include <cmath>

#include "model/pass.h"

namespace lffn {
namespace {

constexpr int64_t kQueriesPerItem = 48;
constexpr int64_t kTokensPerItem = 64;
constexpr int64_t kFewBytes = int64_t{256} << 10;  // of rows by word that stay in the L2 cache for a while

}  // namespace

// In post-norm models a norm comes after what it follows in the papers, which is before what reads its result: so all
// families normalise before. Post-norm ones do it in place, as the residual starts from there, too.
void Pass::run_layer(size_t number, const Span& chunk, const Rows& hidden) {
  const LayerWeights& layer = weights_.layers[number];
  clock_.enter(number);
  const bool pre_norm = model_.family().pre_norm;
  const Norm* before_attention = &layer.attention_norm;
  const Norm* before_ffn = &layer.ffn_norm;
  if (!pre_norm) {
    before_attention = number > 0 ? &weights_.layers[number - 1].ffn_norm : nullptr;
    before_ffn = &layer.attention_norm;
  }

  // All of a layer without heads.
  if (!layer.attention_bias.empty()) {
    if (!pre_norm && before_attention != nullptr) normalise(*before_attention, hidden, chunk.tokens);
    add_bias(layer.attention_bias, chunk.tokens, hidden);
    clock_.lap(LFFN_STAGE_LINEAR);
  }
  const int64_t a = config_.attention_size(number);
  const Rows wide = {floats(layout_.wide), row_stride(3 * a)};
  const Rows summed = {floats(layout_.summed), row_stride(a)};
  for (int64_t first = chunk.first; a > 0 && first < chunk.last;) {
    const Span batch = next_span(call_, first, chunk.last, batch_tokens(model_));
    first = batch.last;
    const Rows residual = {hidden.row(batch.begin - chunk.begin), hidden.stride};
    Linear::Call project;
    project.norm = before_attention;
    project.normed = pre_norm ? Rows{floats(layout_.normed), row_stride(d_)} : residual;
    project.in = residual;
    project.rows = batch.tokens;
    project.packed = packed();
    project.out = wide;
    layer.query_key_value.run(workers_, project);
    clock_.lap(LFFN_STAGE_LINEAR);

    attend(number, batch, wide, summed);
    clock_.lap(LFFN_STAGE_ATTENTION);

    Linear::Call out;
    out.in = summed;
    out.rows = batch.tokens;
    out.packed = packed();
    out.add = true;
    out.out = residual;
    const RowsAhead ahead = {&layer.words, &weights_.row_of_word, call_.ids + batch.begin};
    // Without neurons there is no later stage to ask in; many rows would be gone again.
    const bool asks = layer.up.empty() && !layer.words.empty() && chunk.tokens * layer.words.row_bytes() <= kFewBytes;
    out.ahead = asks ? &ahead : nullptr;
    layer.attention_out.run(workers_, out);
    clock_.lap(LFFN_STAGE_LINEAR);
  }

  if (!layer.up.empty()) add_neurons(layer, *before_ffn, chunk, hidden);
  if (!layer.lookup.empty()) add_lookup(layer, *before_ffn, chunk.tokens, hidden);
  if (!layer.ffn_bias.empty()) {
    if (!pre_norm) normalise(*before_ffn, hidden, chunk.tokens);
    add_bias(layer.ffn_bias, chunk.tokens, hidden);
  }
  // Beside neurons they were added with these.
  if (!layer.words.empty() && layer.up.empty()) {
    layer.words.add(workers_, call_.ids + chunk.begin, weights_.row_of_word, chunk.tokens, hidden);
  }
  clock_.lap(LFFN_STAGE_FFN);
}

void Pass::add_bias(const Floats& bias, int64_t tokens, const Rows& hidden) const {
  const int64_t items = (tokens + kTokensPerItem - 1) / kTokensPerItem;
  workers_.run(items, workers_.threads_for(static_cast<double>(tokens * d_)), [&](int64_t item, int32_t) {
    const int64_t end = std::min(tokens, (item + 1) * kTokensPerItem);
    for (int64_t t = item * kTokensPerItem; t < end; ++t) {
      float* row = hidden.row(t);
      for (int64_t i = 0; i < d_; ++i) row[i] += bias.data()[i];
    }
  });
}

// wide: queries, keys and values of all heads side by side.
void Pass::attend(size_t number, const Span& batch, const Rows& wide, const Rows& summed) const {
  const int64_t heads = config_.heads[number], size = config_.head_size, a = heads * size;
  int64_t longest = 0;
  double flop = 0;
  for (int64_t s = batch.first; s < batch.last; ++s) {
    const auto length = static_cast<double>(call_.length(s));
    longest = std::max(longest, call_.length(s));
    flop += 4.0 * length * length * static_cast<double>(a);
  }
  const int32_t threads = workers_.threads_for(flop);
  const bool int8 = model_.attends_in_int8(number);
  const int64_t pairs = (batch.last - batch.first) * heads;
  // Queries are shared out only where there are too few heads to go round.
  const int64_t most_ranges = std::max<int64_t>(1, longest / kQueriesPerItem);
  const int64_t ranges = threads == 1 ? 1 : std::clamp<int64_t>(4 * threads / pairs, 1, most_ranges);
  workers_.run(pairs * ranges, threads, [&](int64_t item, int32_t thread) {
    const int64_t pair = item / ranges, range = item % ranges;
    const int64_t sequence = batch.first + pair / heads;
    const int64_t column = pair % heads * size;
    const int64_t length = call_.length(sequence);
    const int64_t share = (length + ranges - 1) / ranges;
    const int64_t first = std::min(range * share, length);
    AttentionPlan plan = {};
    plan.first_query = first;
    plan.num_queries = std::min(share, length - first);
    if (plan.num_queries == 0) return;
    const int64_t begin = call_.offsets[sequence] - batch.begin;
    plan.queries = wide.row(begin + first) + column;
    plan.keys = wide.row(begin) + a + column;
    plan.values = wide.row(begin) + 2 * a + column;
    plan.stride = wide.stride;
    plan.num_keys = length;
    plan.head_size = size;
    plan.scale = 1.0f / std::sqrt(static_cast<float>(size * config_.distances.score_terms));
    plan.out = summed.row(begin + first) + column;
    plan.out_stride = summed.stride;
    void* const own = bytes(layout_.thread + layout_.thread_bytes * static_cast<size_t>(thread));
    if (int8) return workers_.kernels.attend_int8(plan, own);
    const Places& places = model_.places();
    places.fill(number, pair % heads, layout_.longest, reinterpret_cast<const int32_t*>(bytes(layout_.places)), plan);
    workers_.kernels.attend(plan, own);
  });
}

// With the rows by word, where there are some: of a batch at a time, as they come near while its neurons are computed.
void Pass::add_neurons(const LayerWeights& layer, const Norm& norm, const Span& chunk, const Rows& hidden) const {
  for (int64_t first = 0; first < chunk.tokens; first += layout_.batch_tokens) {
    const int32_t* ids = call_.ids + chunk.begin + first;
    const RowsAhead ahead = {&layer.words, &weights_.row_of_word, ids};
    Linear::Call up;
    up.norm = &norm;
    up.in = {hidden.row(first), hidden.stride};
    up.normed = model_.family().pre_norm ? Rows{floats(layout_.normed), row_stride(d_)} : up.in;
    up.rows = std::min(layout_.batch_tokens, chunk.tokens - first);
    up.ahead = layer.words.empty() ? nullptr : &ahead;
    up.packed = packed();
    up.activation = config_.activation;
    up.out = {floats(layout_.wide), row_stride(layer.up.outputs())};
    layer.up.run(workers_, up);
    Linear::Call down;
    down.in = up.out;
    down.rows = up.rows;
    down.packed = up.packed;
    down.add = true;
    down.out = up.in;
    layer.down.run(workers_, down);
    if (!layer.words.empty()) layer.words.add(workers_, ids, weights_.row_of_word, up.rows, up.in);
  }
}

// With the linear layer beside it, where there is one.
void Pass::add_lookup(const LayerWeights& layer, const Norm& norm, int64_t tokens, const Rows& hidden) const {
  if (tokens == 0) return;
  ForwardCall forward;
  forward.x = forward.y = hidden.data;
  if (!layer.linear.empty()) {
    const Rows inputs = {floats(layout_.inputs), hidden.stride};
    normalise(norm, hidden, tokens, inputs.data);
    for (int64_t first = 0; first < tokens; first += layout_.batch_tokens) {
      Linear::Call linear;
      linear.in = {inputs.row(first), inputs.stride};
      linear.rows = std::min(layout_.batch_tokens, tokens - first);
      linear.packed = packed();
      linear.add = true;
      linear.out = {hidden.row(first), hidden.stride};
      layer.linear.run(workers_, linear);
    }
    forward.x = inputs.data;
  } else if (!norm.empty()) {
    normalise(norm, hidden, tokens);
  }
  forward.x_stride = forward.y_stride = hidden.stride;
  forward.num_tokens = tokens;
  forward.add = true;
  forward.cancel = workers_.cancel;
  layer.lookup.layer().forward(forward, bytes(layout_.stage));
}

}  // namespace lffn
