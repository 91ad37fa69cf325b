// SPDX-License-Identifier: Apache-2.0
// The vocabulary's scores at some positions, in any order. Their hidden states are kept until all chunks have run, as
// the language model's head reads the matrix of all words for each block of them.
#include <algorithm>

#include "model/heads/heads.h"
#include "model/heads/word_scores.h"

namespace lffn {
namespace {

struct LogitsLayout {
  ScratchParts parts;
  WordScratch words;
};

LogitsLayout lay_out_logits(const ModelCall& call, const ModelCore& model, size_t begin) {
  LogitsLayout layout = {ScratchParts(begin), {}};
  const int64_t rows = std::min(call.num_positions, kHeadRows);
  if (rows > 0 && model.has_lm_head()) layout.words = place_words(model, rows, layout.parts);
  return layout;
}

bool wants_logits(const ModelCall& call, const ModelCore&) { return call.logits != nullptr; }

void mark_positions(const ModelCall& call, const ModelCore&, const Span&, const TokenMarks& marks) {
  for (int64_t i = 0; i < call.num_positions; ++i) marks.add(call.positions[i]);
}

size_t positions_bytes(const ModelCall& call, const ModelCore& model) {
  return model.has_lm_head() ? floats_bytes(call.num_positions, model.config().hidden_size) : 0;
}

size_t logits_end(const ModelCall& call, const ModelCore& model, const ChunkExtent&, size_t begin) {
  return lay_out_logits(call, model, begin).parts.end();
}

void keep_positions(const Pass& pass, const HiddenStates& states, size_t kept) {
  float* const to = pass.floats(kept);
  for (int64_t i = 0; i < pass.call.num_positions; ++i) {
    const int64_t token = pass.call.positions[i], at = token - states.chunk.begin;
    if (at >= 0 && at < states.chunk.tokens) std::copy_n(states.of(token), pass.d, to + i * pass.d);
  }
}

void score_positions(const Pass& pass, size_t kept) {
  const LogitsLayout layout = lay_out_logits(pass.call, pass.model, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  for (int64_t first = 0; first < pass.call.num_positions; first += kHeadRows) {
    const int64_t rows = std::min(kHeadRows, pass.call.num_positions - first);
    score_words(pass, pass.floats(kept) + first * pass.d, rows, layout.words,
                pass.call.logits + first * pass.config.vocab_size);
  }
}

}  // namespace

const Head kLogitsHead = {wants_logits, nullptr,        mark_positions, positions_bytes,
                          logits_end,   keep_positions, score_positions};

}  // namespace lffn
