// SPDX-License-Identifier: Apache-2.0
// A call: chunks of whole sequences, one after the other through all layers.
#include "model/pass.h"

#include <algorithm>

namespace lffn {
namespace {

constexpr int64_t kRowsPerItem = 64;  // of what is done row by row

}  // namespace

Pass::Pass(const Model& model, const ModelCall& call)
    : model_(model),
      config_(model.config()),
      weights_(model.weights()),
      call_(call),
      d_(config_.hidden_size),
      workers_{model.running().kernels, model.running().num_threads, model.running().flush_denormals, call.cancel},
      clock_(call.seconds, call.layer_seconds, weights_.layers.size()) {}

void Pass::run() {
  if (call_.num_sequences == 0 || (call_.hidden == nullptr && !call_.wants_heads())) return clock_.hand_out();
  layout_ = lay_out(model_, call_);
  scratch_.emplace(model_.scratch(), layout_.total);
  const Norm& last_norm = model_.family().pre_norm ? weights_.final_norm : weights_.layers.back().ffn_norm;
  for (int64_t s = 0; s < call_.num_sequences;) {
    const Span chunk = next_span(call_, s, call_.num_sequences, chunk_tokens(model_));
    s = chunk.last;
    const Rows hidden = {call_.hidden != nullptr ? call_.hidden + chunk.begin * d_ : floats(layout_.hidden), d_};
    embed(chunk, hidden);
    clock_.lap(LFFN_STAGE_OTHER);
    for (size_t layer = 0; layer < weights_.layers.size(); ++layer) run_layer(layer, chunk, hidden);
    normalise(last_norm, hidden, chunk.tokens);
    collect(chunk, hidden);
  }
  if (call_.logits != nullptr) predict();
  if (call_.class_scores != nullptr) classify();
  if (call_.embeddings != nullptr && runs_modules(model_, call_)) run_modules();
  clock_.lap(LFFN_STAGE_OTHER);
  clock_.hand_out();
}

// `copy`, unless it is nullptr, receives the same rows with the same stride.
void Pass::normalise(const Norm& norm, const Rows& rows, int64_t count, float* copy) const {
  const int64_t items = (count + kRowsPerItem - 1) / kRowsPerItem;
  const double flop = 16.0 * static_cast<double>(count * d_);
  workers_.run(items, workers_.threads_for(flop), [&](int64_t item, int32_t) {
    const int64_t first = item * kRowsPerItem, mine = std::min(kRowsPerItem, count - first);
    workers_.kernels.normalise(norm.plan(), rows.row(first), rows.stride, mine, rows.row(first), rows.stride);
    if (copy != nullptr) std::copy_n(rows.row(first), mine * rows.stride, copy + first * rows.stride);
  });
}

void Pass::embed(const Span& chunk, const Rows& hidden) const {
  const int64_t first_position = config_.first_position();
  const bool counts_padding = model_.family().positions != PositionRule::kAfterPadding;
  const auto add = [&](const Floats& table, int64_t place, float* row) {
    const float* from = table.data() + place * d_;
    for (int64_t i = 0; i < d_; ++i) row[i] += from[i];
  };
  workers_.run(chunk.last - chunk.first, workers_.threads_for(16.0 * static_cast<double>(chunk.tokens * d_)),
               [&](int64_t item, int32_t) {
                 const int64_t begin = call_.offsets[chunk.first + item], end = call_.offsets[chunk.first + item + 1];
                 int64_t counted = 0;
                 for (int64_t t = begin; t < end; ++t) {
                   const bool counts = counts_padding || call_.ids[t] != config_.pad_token_id;
                   float* row = hidden.row(t - chunk.begin);
                   weights_.words.read(call_.ids[t], row);
                   add(weights_.positions, counts ? first_position + counted++ : config_.pad_token_id, row);
                   if (!weights_.types.empty()) add(weights_.types, call_.types != nullptr ? call_.types[t] : 0, row);
                   workers_.kernels.normalise(weights_.embedding_norm.plan(), row, d_, 1, row, d_);
                 }
               });
}

// Keeps of a chunk's hidden states what the heads will read, scores its tokens, and pools them.
void Pass::collect(const Span& chunk, const Rows& hidden) const {
  if (call_.logits != nullptr) {
    float* asked = floats(layout_.asked);
    for (int64_t i = 0; i < call_.num_positions; ++i) {
      const int64_t at = call_.positions[i] - chunk.begin;
      if (at >= 0 && at < chunk.tokens) std::copy_n(hidden.row(at), d_, asked + i * d_);
    }
  }
  if (call_.class_scores != nullptr) {
    float* firsts = floats(layout_.firsts);
    for (int64_t s = chunk.first; s < chunk.last; ++s) {
      if (call_.length(s) == 0) {
        std::fill_n(firsts + s * d_, d_, 0.0f);
      } else {
        std::copy_n(hidden.row(call_.offsets[s] - chunk.begin), d_, firsts + s * d_);
      }
    }
  }
  if (call_.token_scores != nullptr) score_tokens(chunk, hidden);
  if (call_.embeddings != nullptr) pool(chunk, hidden);
}

}  // namespace lffn
