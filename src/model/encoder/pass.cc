// SPDX-License-Identifier: Apache-2.0
// A call: chunks of whole sequences, one after the other through all layers.
#include "model/encoder/pass.h"

#include <algorithm>
#include <cmath>

#include "model/encoder/asked_tokens.h"
#include "model/encoder/encoder_layer.h"

namespace lffn {
namespace {

constexpr int64_t kRowsPerItem = 64;  // of work that goes row by row
constexpr int64_t kAskedAhead = 4;    // words; their rows arrive while others are summed

void add_embeddings(const Pass& pass, const Span& span, const Rows& to) {
  const int64_t size = pass.config.embedding_size;
  const Norm* norm = pass.weights.embedding_norm.empty() || pass.norms_wide ? nullptr : &pass.weights.embedding_norm;
  const int64_t first_position = pass.config.first_position();
  const Family& family = pass.model.family();
  const bool counts_padding = family.positions != PositionRule::kAfterPadding;
  const auto word_scale = static_cast<float>(std::sqrt(static_cast<double>(pass.d)));
  const auto add = [&](const Floats& table, int64_t place, float* row) {
    const float* from = table.data() + place * size;
    for (int64_t i = 0; i < size; ++i) row[i] += from[i];
  };
  constexpr double kWork = 64;  // per number: this waits for memory more than it computes
  pass.workers.run(
      span.last - span.first, pass.workers.threads_for(kWork * static_cast<double>(span.tokens * size)),
      [&](int64_t item, int32_t) {
        const int64_t begin = pass.call.offsets[span.first + item], end = pass.call.offsets[span.first + item + 1];
        int64_t counted = 0;
        for (int64_t t = begin; t < end; ++t) {
          const bool counts = counts_padding || pass.call.ids[t] != pass.config.pad_token_id;
          float* row = to.row(t - span.begin);
          if (t + kAskedAhead < span.begin + span.tokens) pass.weights.words.ask(pass.call.ids[t + kAskedAhead]);
          pass.weights.words.read(pass.call.ids[t], row);
          if (family.scales_words) {
            for (int64_t i = 0; i < size; ++i) row[i] *= word_scale;
          }
          if (!pass.weights.positions.empty()) {
            add(pass.weights.positions, counts ? first_position + counted++ : pass.config.pad_token_id, row);
          }
          if (!pass.weights.types.empty())
            add(pass.weights.types, pass.call.types != nullptr ? pass.call.types[t] : 0, row);
          if (norm != nullptr) pass.workers.kernels.normalise(norm->plan(), row, size, 1, row, size);
        }
      });
}

// Word vectors that must be widened are summed in scratch memory first, some tokens at a time.
void embed(const Pass& pass, const Span& chunk, const Rows& hidden) {
  if (pass.weights.widener.empty()) return add_embeddings(pass, chunk, hidden);
  for (int64_t s = chunk.first; s < chunk.last;) {
    const Span batch = next_span(pass.call, s, chunk.last, pass.layout.batch_tokens);
    s = batch.last;
    const Borders borders = pass.borders(pass.layout.encoder);
    Linear::Call widen;
    widen.in = {pass.floats(pass.layout.wide), row_stride(pass.config.embedding_size)};
    widen.rows = batch.tokens;
    widen.packed = pass.packed();
    widen.out = {hidden.row(batch.begin - chunk.begin), hidden.stride};
    add_embeddings(pass, batch, widen.in);
    pass.weights.widener.run(pass.workers, widen);
    if (pass.norms_wide) pass.normalise(pass.weights.embedding_norm, widen.out, batch.tokens);
  }
}

}  // namespace

Pass::Pass(const ModelCore& model, const ModelCall& call, const HeadTable& all_heads)
    : model(model),
      config(model.config()),
      weights(model.weights()),
      call(call),
      heads(all_heads.wanted(call, model)),
      d(config.hidden_size),
      norms_wide(!weights.widener.empty() && model.family().widening == Widening::kBeforeNorm),
      workers{model.running().kernels, model.threads_of(call), model.running().flush_denormals, call.cancel},
      clock(call.seconds, call.layer_seconds, weights.layers.size()) {}

void Pass::run() {
  if (call.num_sequences == 0 || (call.hidden == nullptr && heads.size() == 0)) return clock.hand_out();
  const AskedTokens asked(model, call, heads);
  layout = lay_out(model, call, heads, asked.may_be_some());
  scratch.emplace(model.scratch(), layout.total);
  const Borders around = borders(layout.call);
  model.places().prepare(layout.longest, reinterpret_cast<int32_t*>(bytes(layout.places)));
  model.rotations().prepare(workers, layout.longest, floats(layout.angles));
  const bool after = config.layers.back().norms == NormPlace::kAfter;
  const Norm& last_norm = after ? weights.layers.back().ffn_norm : weights.final_norm;
  for (int64_t s = 0; s < call.num_sequences;) {
    const Span chunk = next_span(call, s, call.num_sequences, chunk_tokens(model));
    s = chunk.last;
    const Rows hidden = {call.hidden != nullptr ? call.hidden + chunk.begin * d : floats(layout.hidden), d};
    embed(*this, chunk, hidden);
    clock.lap(LFFN_STAGE_OTHER);
    const size_t last = weights.layers.size() - 1;
    for (size_t layer = 0; layer < last; ++layer) run_layer(*this, layer, chunk, keep_all(call, chunk), hidden);
    const KeptTokens kept = asked.keep(chunk, reinterpret_cast<int32_t*>(bytes(layout.kept)));
    run_layer(*this, last, chunk, kept, hidden);
    normalise(last_norm, hidden, kept.count);
    for (size_t i = 0; i < heads.size(); ++i) heads[i].run(*this, {chunk, kept, hidden}, layout.of_heads[i]);
    if (call.progress) call.progress(chunk.last);
  }
  for (size_t i = 0; i < heads.size(); ++i) {
    if (heads[i].finish != nullptr) heads[i].finish(*this, layout.of_heads[i]);
  }
  clock.lap(LFFN_STAGE_OTHER);
  clock.hand_out();
}

void Pass::normalise(const Norm& norm, const Rows& rows, int64_t count, float* copy) const {
  const int64_t items = (count + kRowsPerItem - 1) / kRowsPerItem;
  const double flop = 16.0 * static_cast<double>(count * d);
  workers.run(items, workers.threads_for(flop), [&](int64_t item, int32_t) {
    const int64_t first = item * kRowsPerItem, mine = std::min(kRowsPerItem, count - first);
    workers.kernels.normalise(norm.plan(), rows.row(first), rows.stride, mine, rows.row(first), rows.stride);
    if (copy != nullptr) std::copy_n(rows.row(first), mine * rows.stride, copy + first * rows.stride);
  });
}

}  // namespace lffn
