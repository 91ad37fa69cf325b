// SPDX-License-Identifier: Apache-2.0
// One encoder layer: attention for a batch of whole sequences at a time, then the feed-forward block (feed_forward.cc)
// for all of them. If the heads read few tokens, the last layer computes keys and values for all tokens and everything
// else for these tokens alone: a row depends on other rows only through their keys and values.
#include "model/encoder/encoder_layer.h"

#include <algorithm>

#include "model/encoder/feed_forward.h"
#include "model/encoder/rotary.h"

namespace lffn {
namespace {

constexpr int64_t kQueriesPerItem = 48;
constexpr int64_t kQueriesOfPacking = 4;  // attending as many takes as long as packing keys and values
constexpr int64_t kTokensPerItem = 64;
constexpr int64_t kFewBytes = int64_t{256} << 10;  // of rows by word that stay in the L2 cache for a while

// Moves the rows of kept tokens to the front, one after another.
void gather(const KeptTokens& kept, int64_t first, int64_t count, const Rows& hidden) {
  if (!kept.some()) return;
  for (int64_t i = first; i < first + count; ++i) {
    if (kept.tokens[i] != i) std::copy_n(hidden.row(kept.tokens[i]), hidden.stride, hidden.row(i));
  }
}

// The norms of a part. A norm after a residual sum is applied by the part that reads the sum, while the rows are in the
// cache: in place, because the next residual starts from the normalised rows, too.
Reading reading(const Pass& pass, size_t number, bool attention) {
  const LayerWeights& layer = pass.weights.layers[number];
  Reading reading;
  if (pass.config.layers[number].norms != NormPlace::kAfter) {
    const Norm& before = attention ? layer.attention_norm : layer.ffn_norm;
    if (!before.empty()) reading.norm = &before;
    const Norm& of_result = attention ? layer.attention_result_norm : layer.ffn_result_norm;
    if (!of_result.empty()) reading.of_result = &of_result;
    return reading;
  }
  reading.in_place = true;
  if (!attention) reading.norm = &layer.attention_norm;
  if (attention && number > 0) reading.norm = &pass.weights.layers[number - 1].ffn_norm;
  return reading;
}

// Applies the norms of queries and keys, head by head, and rotary positions to `wide`, laid out as for attend().
void turn_heads(const Pass& pass, size_t number, const Span& batch, const KeptTokens& kept, const Rows& wide) {
  const LayerDescription& layer = pass.config.layers[number];
  if (!layer.rotates && !layer.norms_heads) return;
  const LayerWeights& weights = pass.weights.layers[number];
  const int64_t size = layer.head_size, a = layer.query_size();
  const float* angles = pass.model.rotations().of_layer(number, pass.layout.longest, pass.floats(pass.layout.angles));
  const auto turn = [&](const Norm& norm, int64_t position, float* heads, int64_t count) {
    if (!norm.empty()) pass.workers.kernels.normalise(norm.plan(), heads, size, count, heads, size);
    for (int64_t h = 0; layer.rotates && h < count; ++h) turn_head(angles + position * size, size, heads + h * size);
  };
  // The position of a token in its sequence; tokens come in order.
  const int64_t* const first = pass.call.offsets + batch.first;
  const int64_t* const last = pass.call.offsets + batch.last + 1;
  const auto position = [&](int64_t token) { return token - *(std::upper_bound(first, last, token) - 1); };
  const int64_t kept_before = kept.before(batch.begin - kept.begin);
  const int64_t queries = kept.before(batch.begin + batch.tokens - kept.begin) - kept_before;
  const int64_t items = (batch.tokens + kTokensPerItem - 1) / kTokensPerItem;
  const double work = 8.0 * static_cast<double>(batch.tokens * layer.attention_width());
  pass.workers.run(items, pass.workers.threads_for(work), [&](int64_t item, int32_t) {
    const int64_t end = (item + 1) * kTokensPerItem;
    for (int64_t t = item * kTokensPerItem; t < std::min(end, batch.tokens); ++t) {
      turn(weights.key_norm, position(batch.begin + t), wide.row(t) + a, layer.key_heads);
    }
    for (int64_t q = item * kTokensPerItem; q < std::min(end, queries); ++q) {
      const int64_t token = kept.some() ? kept.begin + kept.tokens[kept_before + q] : batch.begin + q;
      turn(weights.query_norm, position(token), wide.row(q), layer.heads);
    }
  });
}

// wide: queries, keys and values of all heads side by side. Only kept tokens have queries: these lie one after another
// from the first row on, and so do the results.
void attend(const Pass& pass, size_t number, const Span& batch, const KeptTokens& kept, const Rows& wide,
            const Rows& summed) {
  const LayerDescription& layer = pass.config.layers[number];
  const int64_t heads = layer.heads, size = layer.head_size, a = layer.query_size(), k = layer.key_size();
  // How many of the batch's tokens before this token are kept.
  const int64_t before_batch = kept.before(batch.begin - kept.begin);
  const auto kept_until = [&](int64_t token) { return kept.before(token - kept.begin) - before_batch; };
  int64_t most_queries = 0;
  double flop = 0;
  for (int64_t s = batch.first; s < batch.last; ++s) {
    const int64_t queries = kept_until(pass.call.offsets[s + 1]) - kept_until(pass.call.offsets[s]);
    most_queries = std::max(most_queries, queries);
    const int64_t as_many = queries == 0 ? 0 : queries + kQueriesOfPacking;
    flop += 4.0 * static_cast<double>(pass.call.keys(s)) * static_cast<double>(as_many * a);
  }
  const int32_t threads = pass.workers.threads_for(flop);
  const bool int8 = pass.model.attends_in_int8(number);
  // Query heads that share keys are one item, which packs the keys once.
  const int64_t key_heads = k == 0 ? 1 : layer.key_heads, sharing = heads / key_heads;
  const int64_t pairs = (batch.last - batch.first) * key_heads;
  // Queries are split only if there are too few such items for the threads.
  const int64_t most_ranges = std::max<int64_t>(1, most_queries * sharing / kQueriesPerItem);
  const int64_t ranges = threads == 1 ? 1 : std::clamp<int64_t>(4 * threads / pairs, 1, most_ranges);
  pass.workers.run(pairs * ranges, threads, [&](int64_t item, int32_t thread) {
    const int64_t pair = item / ranges, range = item % ranges, key_head = pair % key_heads;
    const int64_t sequence = batch.first + pair / key_heads, key_column = a + key_head * size;
    const int64_t keys = pass.call.keys(sequence), row = kept_until(pass.call.offsets[sequence]);
    const int64_t queries = kept_until(pass.call.offsets[sequence + 1]) - row, share = (queries + ranges - 1) / ranges;
    const int64_t begin = pass.call.offsets[sequence] - batch.begin;
    void* const own = pass.bytes(pass.layout.thread + pass.layout.thread_bytes * static_cast<size_t>(thread));
    bool packed = false;
    const auto run_head = [&](int64_t head, int64_t first, int64_t first_query, int64_t count) {
      const int64_t column = head * size;
      AttentionPlan plan = {};
      plan.packed = packed;
      packed = true;
      // A query so far behind the last attended key that its window has none sees that key.
      plan.first_query = layer.is_limited ? std::min(first_query, keys - 1 + layer.before) : first_query;
      plan.num_queries = count;
      plan.queries = wide.row(row + first) + column;
      plan.keys = wide.row(begin) + key_column;
      plan.values = wide.row(begin) + key_column + k;
      plan.stride = wide.stride;
      plan.num_keys = keys;
      plan.head_size = size;
      plan.scale = layer.score_scale;
      plan.limited = layer.is_limited;
      plan.before = layer.before;
      plan.after = layer.after;
      plan.out = summed.row(row + first) + column;
      plan.out_stride = summed.stride;
      if (int8) return pass.workers.kernels.attend_int8(plan, own);
      pass.model.places().fill(number, head, pass.layout.longest,
                               reinterpret_cast<const int32_t*>(pass.bytes(pass.layout.places)), plan);
      pass.workers.kernels.attend(plan, own);
    };
    const auto run = [&](int64_t first, int64_t first_query, int64_t count) {
      for (int64_t i = 0; i < sharing; ++i) run_head(key_head * sharing + i, first, first_query, count);
    };
    const int64_t first = std::min(range * share, queries), count = std::min(share, queries - first);
    if (count == 0) return;
    if (!layer.is_limited || (!kept.some() && keys == pass.call.length(sequence))) return run(first, first, count);
    // Kept queries need not be neighbours, so each has a window of its own.
    for (int64_t q = first; q < first + count; ++q) {
      run(q, kept.some() ? kept.begin + kept.tokens[before_batch + row + q] - pass.call.offsets[sequence] : q, 1);
    }
  });
}

// Adds attention for the sequences of a batch, whose first token is the chunk's token `begin`.
void add_attention(Pass& pass, size_t number, const Span& batch, int64_t begin, const KeptTokens& kept,
                   const Rows& hidden) {
  const LayerWeights& layer = pass.weights.layers[number];
  const LayerDescription& described = pass.config.layers[number];
  const int64_t a = described.query_size(), from = kept.before(begin);
  const int64_t rows = kept.before(begin + batch.tokens) - from;
  if (rows == 0) return;
  const Borders borders = pass.borders(pass.layout.encoder);
  const Reading read = reading(pass, number, true);
  const Rows wide = {pass.floats(pass.layout.wide), row_stride(described.attention_width())};
  const Rows summed = {pass.floats(pass.layout.summed), row_stride(a)};
  const Rows residual = {hidden.row(from), hidden.stride};
  const Rows beside = {pass.floats(pass.layout.normed), row_stride(pass.d)};
  Linear::Call project;
  project.norm = read.norm;
  project.in = {hidden.row(begin), hidden.stride};
  project.normed = read.in_place ? project.in : beside;
  project.rows = batch.tokens;
  project.packed = pass.packed();
  project.out = wide;
  if (kept.some()) {
    project.first_output = a;
    project.out.data += a;
    layer.query_key_value.run(pass.workers, project);
    gather(kept, from, rows, hidden);
    project.first_output = 0;
    project.outputs = a;
    project.out = wide;
    project.norm = read.in_place ? nullptr : read.norm;
    project.in = residual;
    project.rows = rows;
  }
  layer.query_key_value.run(pass.workers, project);
  pass.clock.lap(LFFN_STAGE_LINEAR);

  turn_heads(pass, number, batch, kept, wide);
  attend(pass, number, batch, kept, wide, summed);
  pass.clock.lap(LFFN_STAGE_ATTENTION);

  Linear::Call out;
  out.in = summed;
  out.rows = rows;
  out.packed = pass.packed();
  out.add = read.of_result == nullptr;
  out.out = read.of_result == nullptr ? residual : beside;
  // If there are many rows, the cache would lose them again before they are added.
  const WordRowsOfTokens ahead = {&layer.word_rows, &pass.weights.row_of_word, kept.ids + from};
  const bool few = kept.count * layer.word_rows.row_bytes() <= kFewBytes;
  out.ahead = !layer.word_rows.empty() && few ? &ahead : nullptr;
  layer.attention_out.run(pass.workers, out);
  if (read.of_result != nullptr) add_normed(pass, *read.of_result, beside, rows, residual);
  pass.clock.lap(LFFN_STAGE_LINEAR);
}

}  // namespace

// hidden += attention(hidden), hidden += ffn(hidden), each with the norms that reading() tells.
void run_layer(Pass& pass, size_t number, const Span& chunk, const KeptTokens& kept, const Rows& hidden) {
  const LayerWeights& layer = pass.weights.layers[number];
  pass.clock.enter(number);
  for (int64_t first = chunk.first; layer.attention_bias.empty() && first < chunk.last;) {
    const Span batch = next_span(pass.call, first, chunk.last, batch_tokens(pass.model));
    first = batch.last;
    add_attention(pass, number, batch, batch.begin - chunk.begin, kept, hidden);
  }
  // Without heads, attention is this bias alone.
  if (!layer.attention_bias.empty()) {
    gather(kept, 0, kept.count, hidden);
    settle(pass, reading(pass, number, true), hidden, kept.count);
    add_bias(pass, layer.attention_bias, kept.count, hidden);
    pass.clock.lap(LFFN_STAGE_LINEAR);
  }

  const Reading read = reading(pass, number, false);
  if (!layer.up.empty()) add_neurons(pass, number, read, kept, hidden);
  if (!layer.lookup.empty()) add_lookup(pass, layer, read, kept, hidden);
  if (!layer.ffn_bias.empty()) {
    settle(pass, read, hidden, kept.count);
    add_bias(pass, layer.ffn_bias, kept.count, hidden);
  }
  if (!layer.word_rows.empty() && layer.up.empty() && read.of_result == nullptr)
    add_word_rows(pass, layer.word_rows, kept, hidden);
  pass.clock.lap(LFFN_STAGE_FFN);
}

}  // namespace lffn
