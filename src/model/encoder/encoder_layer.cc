// SPDX-License-Identifier: Apache-2.0
// One encoder layer: attention for a batch of whole sequences at a time, then the feed-forward block for all of them.
// Of the last layer only what is asked for is computed, where that is little: keys and values of all tokens, the rest
// of these. A row does not depend on others but by its keys and values.
#include <algorithm>
#include <cmath>

#include "model/encoder/pass.h"

namespace lffn {
namespace {

constexpr int64_t kQueriesPerItem = 48;
constexpr int64_t kQueriesOfPacking = 4;  // which take as long as keys and values do to be packed
constexpr int64_t kTokensPerItem = 64;
constexpr int64_t kFewBytes = int64_t{256} << 10;  // of rows by word that stay in the L2 cache for a while

}  // namespace

// In post-norm models a norm comes after what it follows in the papers, which is before what reads its result: so all
// families normalise before. Post-norm ones do it in place, as the residual starts from there, too.
void Pass::run_layer(size_t number, const Span& chunk, const KeptTokens& kept, const Rows& hidden) {
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
    gather(kept, 0, kept.count, hidden);
    if (!pre_norm && before_attention != nullptr) normalise(*before_attention, hidden, kept.count);
    add_bias(layer.attention_bias, kept.count, hidden);
    clock_.lap(LFFN_STAGE_LINEAR);
  }
  const int64_t a = config_.attention_size(number);
  const Rows wide = {floats(layout_.wide), row_stride(3 * a)};
  const Rows summed = {floats(layout_.summed), row_stride(a)};
  for (int64_t first = chunk.first; a > 0 && first < chunk.last;) {
    const Span batch = next_span(call_, first, chunk.last, batch_tokens(model_));
    first = batch.last;
    const int64_t begin = batch.begin - chunk.begin, from = kept.before(begin);
    const int64_t rows = kept.before(begin + batch.tokens) - from;
    if (rows == 0) continue;
    const Rows residual = {hidden.row(from), hidden.stride};
    Linear::Call project;
    project.norm = before_attention;
    project.in = {hidden.row(begin), hidden.stride};
    project.normed = pre_norm ? Rows{floats(layout_.normed), row_stride(d_)} : project.in;
    project.rows = batch.tokens;
    project.packed = packed();
    project.out = wide;
    if (kept.some()) {
      project.first_output = a;
      project.out.data += a;
      layer.query_key_value.run(workers_, project);
      gather(kept, from, rows, hidden);
      project.first_output = 0;
      project.outputs = a;
      project.out = wide;
      project.norm = pre_norm ? before_attention : nullptr;
      project.in = residual;
      project.rows = rows;
    }
    layer.query_key_value.run(workers_, project);
    clock_.lap(LFFN_STAGE_LINEAR);

    attend(number, batch, kept, wide, summed);
    clock_.lap(LFFN_STAGE_ATTENTION);

    Linear::Call out;
    out.in = summed;
    out.rows = rows;
    out.packed = packed();
    out.add = true;
    out.out = residual;
    // Many rows would be gone again before they are added.
    const WordsOfTokens ahead = {&layer.words, &weights_.row_of_word, kept.ids + from};
    const bool few = kept.count * layer.words.row_bytes() <= kFewBytes;
    out.ahead = !layer.words.empty() && few ? &ahead : nullptr;
    layer.attention_out.run(workers_, out);
    clock_.lap(LFFN_STAGE_LINEAR);
  }

  if (!layer.up.empty()) add_neurons(layer, *before_ffn, kept, hidden);
  if (!layer.lookup.empty()) add_lookup(layer, *before_ffn, kept.count, hidden);
  if (!layer.ffn_bias.empty()) {
    if (!pre_norm) normalise(*before_ffn, hidden, kept.count);
    add_bias(layer.ffn_bias, kept.count, hidden);
  }
  if (!layer.words.empty() && layer.up.empty()) add_words(layer.words, kept, hidden);
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

// wide: queries, keys and values of all heads side by side; the queries are those of the kept tokens, one after another
// from the first row on, as are the results.
void Pass::attend(size_t number, const Span& batch, const KeptTokens& kept, const Rows& wide,
                  const Rows& summed) const {
  const int64_t heads = config_.heads[number], size = config_.head_size, a = heads * size;
  // Of the batch's tokens up to the one of this number, those that are kept.
  const int64_t before_batch = kept.before(batch.begin - kept.begin);
  const auto kept_until = [&](int64_t token) { return kept.before(token - kept.begin) - before_batch; };
  int64_t most_queries = 0;
  double flop = 0;
  for (int64_t s = batch.first; s < batch.last; ++s) {
    const int64_t queries = kept_until(call_.offsets[s + 1]) - kept_until(call_.offsets[s]);
    most_queries = std::max(most_queries, queries);
    const int64_t as_many = queries == 0 ? 0 : queries + kQueriesOfPacking;
    flop += 4.0 * static_cast<double>(call_.length(s)) * static_cast<double>(as_many * a);
  }
  const int32_t threads = workers_.threads_for(flop);
  const bool int8 = model_.attends_in_int8(number);
  const int64_t pairs = (batch.last - batch.first) * heads;
  // Queries are shared out only where there are too few heads to go round.
  const int64_t most_ranges = std::max<int64_t>(1, most_queries / kQueriesPerItem);
  const int64_t ranges = threads == 1 ? 1 : std::clamp<int64_t>(4 * threads / pairs, 1, most_ranges);
  workers_.run(pairs * ranges, threads, [&](int64_t item, int32_t thread) {
    const int64_t pair = item / ranges, range = item % ranges;
    const int64_t sequence = batch.first + pair / heads;
    const int64_t column = pair % heads * size;
    const int64_t length = call_.length(sequence), row = kept_until(call_.offsets[sequence]);
    const int64_t queries = kept_until(call_.offsets[sequence + 1]) - row, share = (queries + ranges - 1) / ranges;
    const int64_t first = std::min(range * share, queries);
    AttentionPlan plan = {};
    plan.first_query = first;
    plan.num_queries = std::min(share, queries - first);
    if (plan.num_queries == 0) return;
    const int64_t begin = call_.offsets[sequence] - batch.begin;
    plan.queries = wide.row(row + first) + column;
    plan.keys = wide.row(begin) + a + column;
    plan.values = wide.row(begin) + 2 * a + column;
    plan.stride = wide.stride;
    plan.num_keys = length;
    plan.head_size = size;
    plan.scale = 1.0f / std::sqrt(static_cast<float>(size * config_.distances.score_terms));
    plan.out = summed.row(row + first) + column;
    plan.out_stride = summed.stride;
    void* const own = bytes(layout_.thread + layout_.thread_bytes * static_cast<size_t>(thread));
    if (int8) return workers_.kernels.attend_int8(plan, own);
    const Places& places = model_.places();
    places.fill(number, pair % heads, layout_.longest, reinterpret_cast<const int32_t*>(bytes(layout_.places)), plan);
    workers_.kernels.attend(plan, own);
  });
}

// Where no neurons read the tokens before.
void Pass::add_words(const WordRows& words, const KeptTokens& kept, const Rows& hidden) const {
  const int64_t items = (kept.count + kTokensPerItem - 1) / kTokensPerItem;
  workers_.run(items, workers_.threads_for(8.0 * static_cast<double>(kept.count * d_)), [&](int64_t item, int32_t) {
    const int64_t first = item * kTokensPerItem, tokens = std::min(kTokensPerItem, kept.count - first);
    const Rows out = {hidden.row(first), hidden.stride};
    words.add(workers_.kernels, kept.ids + first, weights_.row_of_word, tokens, out, false);
  });
}

// With the rows by word, where there are some, which are added before: while a token's numbers are at hand.
void Pass::add_neurons(const LayerWeights& layer, const Norm& norm, const KeptTokens& kept, const Rows& hidden) const {
  for (int64_t first = 0; first < kept.count; first += layout_.batch_tokens) {
    const WordsOfTokens words = {&layer.words, &weights_.row_of_word, kept.ids + first};
    Linear::Call up;
    up.norm = &norm;
    up.in = {hidden.row(first), hidden.stride};
    up.normed = model_.family().pre_norm ? Rows{floats(layout_.normed), row_stride(d_)} : up.in;
    up.rows = std::min(layout_.batch_tokens, kept.count - first);
    up.packed = packed();
    up.activation = config_.activation;
    up.out = {floats(layout_.wide), row_stride(layer.up.outputs())};
    Linear::Call down;
    // Bytes are made of the tokens at once; float32 products read them later.
    Linear::Call& adds = layer.up.dtype() == LFFN_INT8 ? up : down;
    adds.words = layer.words.empty() ? nullptr : &words;
    adds.with_words = up.in;
    layer.up.run(workers_, up);
    down.in = up.out;
    down.rows = up.rows;
    down.packed = up.packed;
    down.add = true;
    down.out = up.in;
    layer.down.run(workers_, down);
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

// Which tokens' hidden states are asked for.

// Those that heads will read, if they are few.
KeptTokens Pass::keep_asked(const Span& chunk) const {
  const KeptTokens all = keep_all(chunk);
  if (!asks_for_some(model_, call_)) return all;
  int32_t* const tokens = reinterpret_cast<int32_t*>(bytes(layout_.kept));
  int32_t* const ids = tokens + chunk.tokens;
  std::fill_n(tokens, chunk.tokens, 0);
  const auto ask = [&](int64_t token) {
    const int64_t at = token - chunk.begin;
    if (at >= 0 && at < chunk.tokens) tokens[at] = 1;
  };
  const std::vector<Pooling>& own = model_.sentence().pooling;
  const bool pools_last = call_.embeddings != nullptr &&
                          (call_.pooling.has_value() ? *call_.pooling == Pooling::kLast
                                                     : std::find(own.begin(), own.end(), Pooling::kLast) != own.end());
  if (call_.class_scores != nullptr || call_.embeddings != nullptr) {
    for (int64_t s = chunk.first; s < chunk.last; ++s) {
      if (call_.length(s) == 0) continue;
      ask(call_.offsets[s]);
      if (pools_last) ask(call_.offsets[s + 1] - 1);
    }
  }
  for (int64_t i = 0; call_.logits != nullptr && i < call_.num_positions; ++i) ask(call_.positions[i]);
  for (int64_t i = 0; call_.wants_fillings() && i < call_.num_masks; ++i) ask(call_.masks[i]);
  int64_t count = 0;
  for (int64_t t = 0; t < chunk.tokens; ++t) {
    if (tokens[t] == 0) continue;
    ids[count] = all.ids[t];
    tokens[count++] = static_cast<int32_t>(t);
  }
  return 2 * count <= chunk.tokens ? KeptTokens{tokens, ids, count, chunk.begin} : all;
}

// The rows of some kept tokens move to where they go on.
void Pass::gather(const KeptTokens& kept, int64_t first, int64_t count, const Rows& hidden) {
  if (!kept.some()) return;
  for (int64_t i = first; i < first + count; ++i) {
    if (kept.tokens[i] != i) std::copy_n(hidden.row(kept.tokens[i]), hidden.stride, hidden.row(i));
  }
}

}  // namespace lffn
