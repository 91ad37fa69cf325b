// SPDX-License-Identifier: Apache-2.0
// One encoder layer: attention for a batch of whole sequences at a time, then the feed-forward block for all of them,
// see feed_forward.cc. Of the last layer only what is asked for is computed, where that is little: keys and values of
// all tokens, the rest of these. A row does not depend on others but by its keys and values.
#include <algorithm>

#include "model/encoder/pass.h"

namespace lffn {
namespace {

constexpr int64_t kQueriesPerItem = 48;
constexpr int64_t kQueriesOfPacking = 4;  // which take as long as keys and values do to be packed
constexpr int64_t kTokensPerItem = 64;
constexpr int64_t kFewBytes = int64_t{256} << 10;  // of rows by word that stay in the L2 cache for a while

}  // namespace

// What a part's input is normalised with. A norm that comes after a part's sum is done by what reads that sum, while
// the rows are near: in place, as the residual starts from there, too.
Pass::Reading Pass::reading(size_t number, bool attention) const {
  const LayerWeights& layer = weights_.layers[number];
  Reading reading;
  if (config_.layers[number].norms != NormPlace::kAfter) {
    const Norm& before = attention ? layer.attention_norm : layer.ffn_norm;
    if (!before.empty()) reading.norm = &before;
    const Norm& of_result = attention ? layer.attention_result_norm : layer.ffn_result_norm;
    if (!of_result.empty()) reading.of_result = &of_result;
    return reading;
  }
  reading.in_place = true;
  if (!attention) reading.norm = &layer.attention_norm;
  if (attention && number > 0) reading.norm = &weights_.layers[number - 1].ffn_norm;
  return reading;
}

// hidden += attention(hidden), hidden += ffn(hidden), each read as `reading` says.
void Pass::run_layer(size_t number, const Span& chunk, const KeptTokens& kept, const Rows& hidden) {
  const LayerWeights& layer = weights_.layers[number];
  clock_.enter(number);
  for (int64_t first = chunk.first; layer.attention_bias.empty() && first < chunk.last;) {
    const Span batch = next_span(call_, first, chunk.last, batch_tokens(model_));
    first = batch.last;
    add_attention(number, batch, batch.begin - chunk.begin, kept, hidden);
  }
  // All of a layer without heads.
  if (!layer.attention_bias.empty()) {
    gather(kept, 0, kept.count, hidden);
    settle(reading(number, true), hidden, kept.count);
    add_bias(layer.attention_bias, kept.count, hidden);
    clock_.lap(LFFN_STAGE_LINEAR);
  }

  const Reading read = reading(number, false);
  if (!layer.up.empty()) add_neurons(number, read, kept, hidden);
  if (!layer.lookup.empty()) add_lookup(layer, read, kept, hidden);
  if (!layer.ffn_bias.empty()) {
    settle(read, hidden, kept.count);
    add_bias(layer.ffn_bias, kept.count, hidden);
  }
  if (!layer.word_rows.empty() && layer.up.empty() && read.of_result == nullptr)
    add_word_rows(layer.word_rows, kept, hidden);
  clock_.lap(LFFN_STAGE_FFN);
}

// A norm that is done in place, where nothing else reads its rows.
void Pass::settle(const Reading& reading, const Rows& hidden, int64_t count) const {
  if (reading.in_place && reading.norm != nullptr) normalise(*reading.norm, hidden, count);
}

// hidden += norm(result); the result is overwritten.
void Pass::add_normed(const Norm& norm, const Rows& result, int64_t count, const Rows& hidden) const {
  const int64_t items = (count + kTokensPerItem - 1) / kTokensPerItem;
  workers_.run(items, workers_.threads_for(16.0 * static_cast<double>(count * d_)), [&](int64_t item, int32_t) {
    const int64_t first = item * kTokensPerItem, end = std::min(count, first + kTokensPerItem);
    workers_.kernels.normalise(norm.plan(), result.row(first), result.stride, end - first, result.row(first),
                               result.stride);
    for (int64_t t = first; t < end; ++t) {
      const float* from = result.row(t);
      float* to = hidden.row(t);
      for (int64_t i = 0; i < d_; ++i) to[i] += from[i];
    }
  });
}

// Of the sequences of a batch, whose first token is the chunk's token `begin`.
void Pass::add_attention(size_t number, const Span& batch, int64_t begin, const KeptTokens& kept, const Rows& hidden) {
  const LayerWeights& layer = weights_.layers[number];
  const LayerDescription& described = config_.layers[number];
  const int64_t a = described.query_size(), from = kept.before(begin);
  const int64_t rows = kept.before(begin + batch.tokens) - from;
  if (rows == 0) return;
  const Reading read = reading(number, true);
  const Rows wide = {floats(layout_.wide), row_stride(described.attention_width())};
  const Rows summed = {floats(layout_.summed), row_stride(a)};
  const Rows residual = {hidden.row(from), hidden.stride};
  const Rows beside = {floats(layout_.normed), row_stride(d_)};
  Linear::Call project;
  project.norm = read.norm;
  project.in = {hidden.row(begin), hidden.stride};
  project.normed = read.in_place ? project.in : beside;
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
    project.norm = read.in_place ? nullptr : read.norm;
    project.in = residual;
    project.rows = rows;
  }
  layer.query_key_value.run(workers_, project);
  clock_.lap(LFFN_STAGE_LINEAR);

  turn_heads(number, batch, kept, wide);
  attend(number, batch, kept, wide, summed);
  clock_.lap(LFFN_STAGE_ATTENTION);

  Linear::Call out;
  out.in = summed;
  out.rows = rows;
  out.packed = packed();
  out.add = read.of_result == nullptr;
  out.out = read.of_result == nullptr ? residual : beside;
  // Many rows would be gone again before they are added.
  const WordRowsOfTokens ahead = {&layer.word_rows, &weights_.row_of_word, kept.ids + from};
  const bool few = kept.count * layer.word_rows.row_bytes() <= kFewBytes;
  out.ahead = !layer.word_rows.empty() && few ? &ahead : nullptr;
  layer.attention_out.run(workers_, out);
  if (read.of_result != nullptr) add_normed(*read.of_result, beside, rows, residual);
  clock_.lap(LFFN_STAGE_LINEAR);
}

// Norms of queries and keys, head by head, and rotary positions. `wide` as attend() reads it.
void Pass::turn_heads(size_t number, const Span& batch, const KeptTokens& kept, const Rows& wide) const {
  const LayerDescription& layer = config_.layers[number];
  if (!layer.rotates && !layer.norms_heads) return;
  const LayerWeights& weights = weights_.layers[number];
  const int64_t size = layer.head_size, a = layer.query_size();
  const float* angles = model_.rotations().of_layer(number, layout_.longest, floats(layout_.angles));
  const auto turn = [&](const Norm& norm, int64_t position, float* heads, int64_t count) {
    if (!norm.empty()) workers_.kernels.normalise(norm.plan(), heads, size, count, heads, size);
    for (int64_t h = 0; layer.rotates && h < count; ++h) turn_head(angles + position * size, size, heads + h * size);
  };
  // The position of a token in its sequence; tokens come in order.
  const int64_t* const first = call_.offsets + batch.first;
  const int64_t* const last = call_.offsets + batch.last + 1;
  const auto position = [&](int64_t token) { return token - *(std::upper_bound(first, last, token) - 1); };
  const int64_t kept_before = kept.before(batch.begin - kept.begin);
  const int64_t queries = kept.before(batch.begin + batch.tokens - kept.begin) - kept_before;
  const int64_t items = (batch.tokens + kTokensPerItem - 1) / kTokensPerItem;
  const double work = 8.0 * static_cast<double>(batch.tokens * layer.attention_width());
  workers_.run(items, workers_.threads_for(work), [&](int64_t item, int32_t) {
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

// wide: queries, keys and values of all heads side by side; the queries are those of the kept tokens, one after another
// from the first row on, as are the results.
void Pass::attend(size_t number, const Span& batch, const KeptTokens& kept, const Rows& wide,
                  const Rows& summed) const {
  const LayerDescription& layer = config_.layers[number];
  const int64_t heads = layer.heads, size = layer.head_size, a = layer.query_size(), k = layer.key_size();
  // Of the batch's tokens up to the one of this number, those that are kept.
  const int64_t before_batch = kept.before(batch.begin - kept.begin);
  const auto kept_until = [&](int64_t token) { return kept.before(token - kept.begin) - before_batch; };
  int64_t most_queries = 0;
  double flop = 0;
  for (int64_t s = batch.first; s < batch.last; ++s) {
    const int64_t queries = kept_until(call_.offsets[s + 1]) - kept_until(call_.offsets[s]);
    most_queries = std::max(most_queries, queries);
    const int64_t as_many = queries == 0 ? 0 : queries + kQueriesOfPacking;
    flop += 4.0 * static_cast<double>(call_.keys(s)) * static_cast<double>(as_many * a);
  }
  const int32_t threads = workers_.threads_for(flop);
  const bool int8 = model_.attends_in_int8(number);
  // Heads that share keys are one item: it packs them once.
  const int64_t key_heads = k == 0 ? 1 : layer.key_heads, sharing = heads / key_heads;
  const int64_t pairs = (batch.last - batch.first) * key_heads;
  // Queries are shared out only where there are too few of these to go round.
  const int64_t most_ranges = std::max<int64_t>(1, most_queries * sharing / kQueriesPerItem);
  const int64_t ranges = threads == 1 ? 1 : std::clamp<int64_t>(4 * threads / pairs, 1, most_ranges);
  workers_.run(pairs * ranges, threads, [&](int64_t item, int32_t thread) {
    const int64_t pair = item / ranges, range = item % ranges, key_head = pair % key_heads;
    const int64_t sequence = batch.first + pair / key_heads, key_column = a + key_head * size;
    const int64_t keys = call_.keys(sequence), row = kept_until(call_.offsets[sequence]);
    const int64_t queries = kept_until(call_.offsets[sequence + 1]) - row, share = (queries + ranges - 1) / ranges;
    const int64_t begin = call_.offsets[sequence] - batch.begin;
    void* const own = bytes(layout_.thread + layout_.thread_bytes * static_cast<size_t>(thread));
    bool packed = false;
    const auto run_head = [&](int64_t head, int64_t first, int64_t first_query, int64_t count) {
      const int64_t column = head * size;
      AttentionPlan plan = {};
      plan.packed = packed;
      packed = true;
      // One that is so far behind the last key that it would see none sees that one.
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
      if (int8) return workers_.kernels.attend_int8(plan, own);
      model_.places().fill(number, head, layout_.longest, reinterpret_cast<const int32_t*>(bytes(layout_.places)),
                           plan);
      workers_.kernels.attend(plan, own);
    };
    const auto run = [&](int64_t first, int64_t first_query, int64_t count) {
      for (int64_t i = 0; i < sharing; ++i) run_head(key_head * sharing + i, first, first_query, count);
    };
    const int64_t first = std::min(range * share, queries), count = std::min(share, queries - first);
    if (count == 0) return;
    if (!layer.is_limited || (!kept.some() && keys == call_.length(sequence))) return run(first, first, count);
    // Kept queries are no neighbours: each sees keys of its own.
    for (int64_t q = first; q < first + count; ++q) {
      run(q, kept.some() ? kept.begin + kept.tokens[before_batch + row + q] - call_.offsets[sequence] : q, 1);
    }
  });
}

// The rows of some kept tokens move to where they go on.
void Pass::gather(const KeptTokens& kept, int64_t first, int64_t count, const Rows& hidden) {
  if (!kept.some()) return;
  for (int64_t i = first; i < first + count; ++i) {
    if (kept.tokens[i] != i) std::copy_n(hidden.row(kept.tokens[i]), hidden.stride, hidden.row(i));
  }
}

}  // namespace lffn
