// SPDX-License-Identifier: Apache-2.0
// A call: chunks of whole sequences, one after the other through all layers.
#include "model/encoder/pass.h"

#include <algorithm>
#include <cmath>

namespace lffn {
namespace {

constexpr int64_t kRowsPerItem = 64;  // of what is done row by row
constexpr int64_t kAskedAhead = 4;    // words, whose rows arrive while others are summed

}  // namespace

Pass::Pass(const Model& model, const ModelCall& call)
    : model_(model),
      config_(model.config()),
      weights_(model.weights()),
      call_(call),
      d_(config_.hidden_size),
      norms_wide_(!weights_.widener.empty() && model.family().widening == Widening::kBeforeNorm),
      workers_{model.running().kernels, model.threads_of(call), model.running().flush_denormals, call.cancel},
      clock_(call.seconds, call.layer_seconds, weights_.layers.size()) {}

void Pass::run() {
  if (call_.num_sequences == 0 || (call_.hidden == nullptr && !call_.wants_heads())) return clock_.hand_out();
  layout_ = lay_out(model_, call_);
  const AskedTokens asked(model_, call_);
  scratch_.emplace(model_.scratch(), layout_.total);
  model_.places().prepare(layout_.longest, reinterpret_cast<int32_t*>(bytes(layout_.places)));
  model_.rotations().prepare(workers_, layout_.longest, floats(layout_.angles));
  const bool after = config_.layers.back().norms == NormPlace::kAfter;
  const Norm& last_norm = after ? weights_.layers.back().ffn_norm : weights_.final_norm;
  for (int64_t s = 0; s < call_.num_sequences;) {
    const Span chunk = next_span(call_, s, call_.num_sequences, chunk_tokens(model_));
    s = chunk.last;
    const Rows hidden = {call_.hidden != nullptr ? call_.hidden + chunk.begin * d_ : floats(layout_.hidden), d_};
    embed(chunk, hidden);
    clock_.lap(LFFN_STAGE_OTHER);
    const size_t last = weights_.layers.size() - 1;
    for (size_t layer = 0; layer < last; ++layer) run_layer(layer, chunk, keep_all(call_, chunk), hidden);
    const KeptTokens kept = asked.keep(chunk, reinterpret_cast<int32_t*>(bytes(layout_.kept)));
    run_layer(last, chunk, kept, hidden);
    normalise(last_norm, hidden, kept.count);
    collect(chunk, kept, hidden);
    if (call_.progress) call_.progress(chunk.last);
  }
  if (call_.logits != nullptr) predict();
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

// Words' vectors that are to be widened are summed in scratch memory, so many tokens at a time.
void Pass::embed(const Span& chunk, const Rows& hidden) const {
  if (weights_.widener.empty()) return add_embeddings(chunk, hidden);
  for (int64_t s = chunk.first; s < chunk.last;) {
    const Span batch = next_span(call_, s, chunk.last, layout_.batch_tokens);
    s = batch.last;
    Linear::Call widen;
    widen.in = {floats(layout_.wide), row_stride(config_.embedding_size)};
    widen.rows = batch.tokens;
    widen.packed = packed();
    widen.out = {hidden.row(batch.begin - chunk.begin), hidden.stride};
    add_embeddings(batch, widen.in);
    weights_.widener.run(workers_, widen);
    if (norms_wide_) normalise(weights_.embedding_norm, widen.out, batch.tokens);
  }
}

void Pass::add_embeddings(const Span& span, const Rows& to) const {
  const int64_t size = config_.embedding_size;
  const Norm* norm = weights_.embedding_norm.empty() || norms_wide_ ? nullptr : &weights_.embedding_norm;
  const int64_t first_position = config_.first_position();
  const Family& family = model_.family();
  const bool counts_padding = family.positions != PositionRule::kAfterPadding;
  const auto word_scale = static_cast<float>(std::sqrt(static_cast<double>(d_)));
  const auto add = [&](const Floats& table, int64_t place, float* row) {
    const float* from = table.data() + place * size;
    for (int64_t i = 0; i < size; ++i) row[i] += from[i];
  };
  constexpr double kWork = 64;  // for each number: it waits for memory more than it computes
  workers_.run(span.last - span.first, workers_.threads_for(kWork * static_cast<double>(span.tokens * size)),
               [&](int64_t item, int32_t) {
                 const int64_t begin = call_.offsets[span.first + item], end = call_.offsets[span.first + item + 1];
                 int64_t counted = 0;
                 for (int64_t t = begin; t < end; ++t) {
                   const bool counts = counts_padding || call_.ids[t] != config_.pad_token_id;
                   float* row = to.row(t - span.begin);
                   if (t + kAskedAhead < span.begin + span.tokens) weights_.words.ask(call_.ids[t + kAskedAhead]);
                   weights_.words.read(call_.ids[t], row);
                   if (family.scales_words) {
                     for (int64_t i = 0; i < size; ++i) row[i] *= word_scale;
                   }
                   if (!weights_.positions.empty()) {
                     add(weights_.positions, counts ? first_position + counted++ : config_.pad_token_id, row);
                   }
                   if (!weights_.types.empty()) add(weights_.types, call_.types != nullptr ? call_.types[t] : 0, row);
                   if (norm != nullptr) workers_.kernels.normalise(norm->plan(), row, size, 1, row, size);
                 }
               });
}

// Keeps of a chunk's hidden states those whose logits are asked for, and makes of them what else is.
void Pass::collect(const Span& chunk, const KeptTokens& kept, const Rows& hidden) const {
  if (call_.logits != nullptr) {
    float* asked = floats(layout_.asked);
    for (int64_t i = 0; i < call_.num_positions; ++i) {
      const int64_t at = call_.positions[i] - chunk.begin;
      if (at >= 0 && at < chunk.tokens) std::copy_n(hidden.row(kept.before(at)), d_, asked + i * d_);
    }
  }
  if (call_.class_scores != nullptr) {
    float* firsts = floats(layout_.firsts);
    for (int64_t s = chunk.first; s < chunk.last; ++s) {
      if (call_.length(s) == 0) {
        std::fill_n(firsts + (s - chunk.first) * d_, d_, 0.0f);
      } else {
        float* const out = firsts + (s - chunk.first) * d_;
        const int64_t token = call_.offsets[s] - chunk.begin;
        if (!kept.some()) {
          pool_for_classes({hidden.row(token), hidden.stride}, s, out);
        } else {
          const bool last = config_.class_pooling == ClassPooling::kLast;
          std::copy_n(hidden.row(kept.before(token + (last ? last_class_token(model_, call_, s) : 0))), d_, out);
        }
      }
    }
    classify(chunk);
  }
  if (call_.token_scores != nullptr) score_tokens(chunk, hidden);
  if (call_.token_vectors != nullptr) make_token_vectors(chunk, hidden);
  if (call_.sparse != nullptr) {
    if (model_.sentence().sparse.of_tokens) {
      weigh_tokens(chunk, hidden);
    } else {
      pool_words(chunk, hidden);
    }
  }
  if (call_.embeddings != nullptr) {
    pool(chunk, kept, hidden);
    if (runs_modules(model_, call_)) run_modules(chunk);
  }
  if (call_.wants_fillings()) fill_masks(chunk, kept, hidden);
}

}  // namespace lffn
