// SPDX-License-Identifier: Apache-2.0
// Runs a model: a chunk of whole sequences at a time through all layers, within it fewer at a time through attention.
#include <algorithm>
#include <cmath>

#include "model/scratch_layout.h"
#include "model/stage_clock.h"
#include "runtime/cpu.h"

namespace lffn {
namespace {

// Tokens that go through all layers together. A lookup layer reads all of its tables for them once.
constexpr int64_t kChunkTokens = 8192;
// Tokens whose queries, keys and values exist at once: as many as leave a quarter of each thread's L2 cache, within
// bounds. A longer sequence is a batch of its own.
constexpr int64_t kFewestBatchTokens = 64, kMostBatchTokens = 1024;
// But no more than fit in about this much memory.
constexpr int64_t kChunkBytes = int64_t{256} << 20;
constexpr int64_t kRowsPerItem = 64;  // of what is done row by row
constexpr int64_t kQueriesPerItem = 48;

}  // namespace

int64_t Model::chunk_tokens() const {
  return std::clamp<int64_t>(kChunkBytes / (config_.hidden_size * static_cast<int64_t>(sizeof(float))), 1,
                             kChunkTokens);
}

int64_t Model::batch_tokens() const {
  const int64_t bytes = 3 * config_.attention_size() * static_cast<int64_t>(sizeof(float));
  const int64_t fitting = static_cast<int64_t>(cache_sizes().l2) / 4 * 3 * num_threads_ / bytes;
  return std::clamp(fitting / kFewestBatchTokens * kFewestBatchTokens, kFewestBatchTokens, kMostBatchTokens);
}

// As many sequences from `first` on as have at most so many tokens together, at least one.
Model::Span Model::next_span(const ModelCall& call, int64_t first, int64_t end, int64_t most_tokens) const {
  Span span = {first, first + 1, call.offsets[first], 0};
  while (span.last < end && call.offsets[span.last + 1] - span.begin <= most_tokens) ++span.last;
  span.tokens = call.offsets[span.last] - span.begin;
  return span;
}

bool Model::wants_heads(const ModelCall& call) {
  return call.logits != nullptr || call.class_scores != nullptr || call.embeddings != nullptr;
}

Model::Extent Model::measure(const ModelCall& call) const {
  Extent extent;
  for (int64_t s = 0; s < call.num_sequences;) {
    const Span span = next_span(call, s, call.num_sequences, chunk_tokens());
    extent.chunk = std::max(extent.chunk, span.tokens);
    s = span.last;
  }
  for (int64_t s = 0; s < call.num_sequences; ++s) {
    extent.longest = std::max(extent.longest, call.offsets[s + 1] - call.offsets[s]);
  }
  extent.hidden = call.hidden == nullptr;
  if (call.logits != nullptr) extent.positions = call.num_positions;
  if (call.class_scores != nullptr) extent.sequences = call.num_sequences;
  if (call.embeddings != nullptr && runs_modules(call)) extent.pooled = call.num_sequences;
  return extent;
}

Model::Layout Model::lay_out(const Extent& extent) const {
  const int64_t d = config_.hidden_size, a = config_.attention_size();
  Layout layout;
  layout.batch_tokens = std::min(extent.chunk, std::max(batch_tokens(), extent.longest));

  size_t end = 0;
  if (extent.hidden) layout.hidden = place(end, floats_bytes(extent.chunk, d));
  layout.asked = place(end, floats_bytes(extent.positions, d));
  layout.firsts = place(end, floats_bytes(extent.sequences, d));
  layout.pooled = place(end, floats_bytes(extent.pooled, widest_module()));
  const bool adds_linear = std::any_of(layers_.begin(), layers_.end(),
                                       [](const EncoderLayer& layer) { return layer.lookup_linear.bytes() > 0; });
  layout.inputs = place(end, adds_linear ? floats_bytes(extent.chunk, d) : 0);
  layout.stage = end;
  layout.normed = place(end, floats_bytes(layout.batch_tokens, row_stride(d)));
  layout.wide = place(end, floats_bytes(layout.batch_tokens, row_stride(std::max<int64_t>(3 * a, intermediate_size_))));
  layout.summed = place(end, floats_bytes(layout.batch_tokens, row_stride(a)));
  layout.packed_stride = Linear::packed_words(std::max({d, a, int64_t{intermediate_size_}}));
  const bool integers = std::any_of(layers_.begin(), layers_.end(), [](const EncoderLayer& layer) {
    return layer.query_key_value.dtype() == LFFN_INT8 || layer.attention_out.dtype() == LFFN_INT8 ||
           layer.lookup_linear.dtype() == LFFN_INT8 || layer.up.dtype() == LFFN_INT8 || layer.down.dtype() == LFFN_INT8;
  });
  layout.packed = place(end, integers ? floats_bytes(layout.batch_tokens, layout.packed_stride) : 0);
  layout.thread = end;
  place(layout.thread_bytes, kernels_.attention_scratch(std::max<int64_t>(extent.longest, 1), config_.head_size));
  end += checked_product(layout.thread_bytes, static_cast<size_t>(num_threads_));
  layout.total = end;
  for (const EncoderLayer& layer : layers_) {
    if (layer.lookup == nullptr) continue;
    layout.total = std::max(layout.total, layout.stage + layer.lookup->scratch_bytes(extent.chunk));
  }
  layout.total = std::max(layout.total, layout.stage + heads_bytes(extent));
  return layout;
}

size_t Model::scratch_bytes() const {
  Extent extent;
  extent.longest = config_.max_tokens();
  extent.chunk = std::max(chunk_tokens(), extent.longest);
  extent.hidden = true;
  return lay_out(extent).total;
}

void Model::run(const ModelCall& call) const {
  run_call(*executor_, num_threads_, [&] { run_stages(call); });
}

void Model::run_stages(const ModelCall& call) const {
  StageClock clock(call.seconds);
  if (call.num_sequences == 0 || (call.hidden == nullptr && !wants_heads(call))) return clock.hand_out();
  const Workers workers = {kernels_, num_threads_, flush_denormals_, call.cancel};
  const Layout layout = lay_out(measure(call));
  const ScratchPool::Lease lease(scratch_, layout.total);
  const Scratch scratch = {layout, lease.data()};

  for (int64_t s = 0; s < call.num_sequences;) {
    const Span chunk = next_span(call, s, call.num_sequences, chunk_tokens());
    s = chunk.last;
    const int64_t d = config_.hidden_size;
    const Rows hidden = {call.hidden != nullptr ? call.hidden + chunk.begin * d : scratch.floats(layout.hidden), d};
    embed(workers, call, chunk, hidden);
    clock.lap(LFFN_STAGE_OTHER);
    for (const EncoderLayer& layer : layers_) {
      for (int64_t first = chunk.first; first < chunk.last;) {
        const Span batch = next_span(call, first, chunk.last, batch_tokens());
        first = batch.last;
        attend(workers, layer, call, batch, {hidden.row(batch.begin - chunk.begin), d}, scratch, clock);
      }
      feed_forward(workers, layer, chunk, hidden, scratch);
      clock.lap(LFFN_STAGE_FFN);
    }
    normalise(workers, final_norm_, hidden, chunk.tokens, hidden);
    collect(workers, call, chunk, hidden, scratch);
  }
  if (call.logits != nullptr) predict(workers, call, scratch);
  if (call.class_scores != nullptr) classify(workers, call, scratch);
  if (call.embeddings != nullptr && runs_modules(call)) run_modules(workers, call, scratch);
  clock.lap(LFFN_STAGE_OTHER);
  clock.hand_out();
}

// `out` may be `in`. `copy`, unless it is nullptr, receives the same rows with the same stride.
void Model::normalise(const Workers& workers, const Norm& norm, const Rows& in, int64_t count, const Rows& out,
                      float* copy) const {
  const int64_t items = (count + kRowsPerItem - 1) / kRowsPerItem;
  const double flop = 16.0 * static_cast<double>(count * config_.hidden_size);
  workers.run(items, workers.threads_for(flop), [&](int64_t item, int32_t) {
    const int64_t first = item * kRowsPerItem, rows = std::min(kRowsPerItem, count - first);
    kernels_.normalise(norm.plan(), in.row(first), in.stride, rows, out.row(first), out.stride);
    if (copy != nullptr) std::copy_n(out.row(first), rows * out.stride, copy + first * out.stride);
  });
}

void Model::embed(const Workers& workers, const ModelCall& call, const Span& span, const Rows& hidden) const {
  const int64_t d = config_.hidden_size, first_position = config_.first_position();
  const bool counts_padding = family().positions != PositionRule::kAfterPadding;
  const bool has_types = call.types != nullptr && config_.type_vocab_size > 0;
  workers.run(span.last - span.first, workers.threads_for(16.0 * static_cast<double>(span.tokens * d)),
              [&](int64_t item, int32_t) {
                const int64_t begin = call.offsets[span.first + item], end = call.offsets[span.first + item + 1];
                int64_t counted = 0;
                for (int64_t t = begin; t < end; ++t) {
                  const bool counts = counts_padding || call.ids[t] != config_.pad_token_id;
                  const int64_t place = counts ? first_position + counted++ : config_.pad_token_id;
                  const float* position = positions_.as<float>() + place * d;
                  const float* type = types_.as<float>() + (has_types ? call.types[t] * d : 0);
                  float* row = hidden.row(t - span.begin);
                  words_.read(call.ids[t], row);
                  for (int64_t i = 0; i < d; ++i) row[i] = row[i] + position[i] + type[i];
                  kernels_.normalise(embedding_norm_.plan(), row, d, 1, row, d);
                }
              });
}

void Model::attend(const Workers& workers, const EncoderLayer& layer, const ModelCall& call, const Span& span,
                   const Rows& hidden, const Scratch& scratch, StageClock& clock) const {
  const int64_t a = config_.attention_size();
  const Layout& layout = scratch.layout;
  const Rows normed = {scratch.floats(layout.normed), row_stride(config_.hidden_size)};
  const Rows wide = {scratch.floats(layout.wide), row_stride(3 * a)};
  const Rows summed = {scratch.floats(layout.summed), row_stride(a)};

  Linear::Call project;
  if (layer.norm_before_attention.bytes() > 0) project.norm = &layer.norm_before_attention;
  project.normed = family().pre_norm ? normed : hidden;
  project.in = hidden;
  project.rows = span.tokens;
  project.packed = scratch.packed();
  project.out = wide;
  layer.query_key_value.run(workers, project);
  clock.lap(LFFN_STAGE_LINEAR);

  int64_t longest = 0;
  double flop = 0;
  for (int64_t s = span.first; s < span.last; ++s) {
    const int64_t length = call.offsets[s + 1] - call.offsets[s];
    longest = std::max(longest, length);
    flop += 4.0 * static_cast<double>(length) * static_cast<double>(length) * static_cast<double>(a);
  }
  const int32_t threads = workers.threads_for(flop);
  const int64_t pairs = (span.last - span.first) * config_.num_heads;
  // Queries are shared out only where there are too few heads to go round.
  const int64_t most_ranges = std::max<int64_t>(1, longest / kQueriesPerItem);
  const int64_t ranges = threads == 1 ? 1 : std::clamp<int64_t>(4 * threads / pairs, 1, most_ranges);
  workers.run(pairs * ranges, threads, [&](int64_t item, int32_t thread) {
    const int64_t pair = item / ranges, range = item % ranges;
    const int64_t sequence = span.first + pair / config_.num_heads;
    const int64_t column = pair % config_.num_heads * config_.head_size;
    const int64_t length = call.offsets[sequence + 1] - call.offsets[sequence];
    const int64_t share = (length + ranges - 1) / ranges;
    const int64_t first = std::min(range * share, length);
    AttentionPlan plan = {};
    plan.num_queries = std::min(share, length - first);
    if (plan.num_queries == 0) return;
    const int64_t begin = call.offsets[sequence] - span.begin;
    plan.queries = wide.row(begin + first) + column;
    plan.keys = wide.row(begin) + a + column;
    plan.values = wide.row(begin) + 2 * a + column;
    plan.stride = wide.stride;
    plan.num_keys = length;
    plan.head_size = config_.head_size;
    plan.scale = 1.0f / std::sqrt(static_cast<float>(config_.head_size));
    plan.out = summed.row(begin + first) + column;
    plan.out_stride = summed.stride;
    kernels_.attend(plan, scratch.data + layout.thread + layout.thread_bytes * static_cast<size_t>(thread));
  });

  clock.lap(LFFN_STAGE_ATTENTION);

  Linear::Call out;
  out.in = summed;
  out.rows = span.tokens;
  out.packed = scratch.packed();
  out.add = true;
  out.out = hidden;
  layer.attention_out.run(workers, out);
  clock.lap(LFFN_STAGE_LINEAR);
}

void Model::feed_forward(const Workers& workers, const EncoderLayer& layer, const Span& chunk, const Rows& hidden,
                         const Scratch& scratch) const {
  const Layout& layout = scratch.layout;
  if (layer.lookup != nullptr) {
    ForwardCall forward;
    forward.x = forward.y = hidden.data;
    if (layer.lookup_linear.bytes() > 0) {
      const Rows inputs = {scratch.floats(layout.inputs), hidden.stride};
      normalise(workers, layer.norm_before_ffn, hidden, chunk.tokens, hidden, inputs.data);
      for (int64_t first = 0; first < chunk.tokens; first += layout.batch_tokens) {
        Linear::Call linear;
        linear.in = {inputs.row(first), inputs.stride};
        linear.rows = std::min(layout.batch_tokens, chunk.tokens - first);
        linear.packed = scratch.packed();
        linear.add = true;
        linear.out = {hidden.row(first), hidden.stride};
        layer.lookup_linear.run(workers, linear);
      }
      forward.x = inputs.data;
    } else if (layer.norm_before_ffn.bytes() > 0) {
      normalise(workers, layer.norm_before_ffn, hidden, chunk.tokens, hidden);
    }
    forward.x_stride = forward.y_stride = hidden.stride;
    forward.num_tokens = chunk.tokens;
    forward.add = true;
    forward.cancel = workers.cancel;
    if (chunk.tokens > 0) layer.lookup->forward(forward, scratch.data + layout.stage);
    return;
  }
  for (int64_t first = 0; first < chunk.tokens; first += layout.batch_tokens) {
    Linear::Call up;
    up.norm = &layer.norm_before_ffn;
    up.in = {hidden.row(first), hidden.stride};
    up.normed = family().pre_norm ? Rows{scratch.floats(layout.normed), row_stride(config_.hidden_size)} : up.in;
    up.rows = std::min(layout.batch_tokens, chunk.tokens - first);
    up.packed = scratch.packed();
    up.activation = config_.activation;
    up.out = {scratch.floats(layout.wide), row_stride(intermediate_size_)};
    layer.up.run(workers, up);
    Linear::Call down;
    down.in = up.out;
    down.rows = up.rows;
    down.packed = up.packed;
    down.add = true;
    down.out = up.in;
    layer.down.run(workers, down);
  }
}

}  // namespace lffn
