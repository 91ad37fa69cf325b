// SPDX-License-Identifier: Apache-2.0
// A score of each token for each class, or for the beginning and the end of an answer.
#include <algorithm>

#include "model/heads/class_dense.h"
#include "model/heads/heads.h"

namespace lffn {
namespace {

struct TokenScoresLayout {
  ScratchParts parts;
  size_t dense = 0;
};

TokenScoresLayout lay_out_token_scores(const ModelCore& model, int64_t tokens, size_t begin) {
  TokenScoresLayout layout = {ScratchParts(begin), 0};
  if (model.num_token_classes() > 0) layout.dense = place_class_dense(model, tokens, layout.parts);
  return layout;
}

bool wants_token_scores(const ModelCall& call, const ModelCore&) { return call.token_scores != nullptr; }

size_t token_scores_end(const ModelCall&, const ModelCore& model, const ChunkExtent& extent, size_t begin) {
  return lay_out_token_scores(model, extent.tokens, begin).parts.end();
}

void score_tokens(const Pass& pass, const HiddenStates& states, size_t) {
  const Span& chunk = states.chunk;
  const TokenScoresLayout layout = lay_out_token_scores(pass.model, chunk.tokens, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  const int64_t classes = pass.model.num_token_classes();
  const int64_t at_once = pass.weights.class_dense.empty() ? chunk.tokens : kHeadRows;
  for (int64_t first = 0; first < chunk.tokens; first += at_once) {
    Linear::Call scores;
    scores.rows = std::min(at_once, chunk.tokens - first);
    scores.in = through_class_dense(pass, {states.rows.row(first), states.rows.stride}, scores.rows, layout.dense);
    scores.out = {pass.call.token_scores + (chunk.begin + first) * classes, classes};
    pass.model.token_out().run(pass.workers, scores);
  }
}

}  // namespace

const Head kTokenScoresHead = {wants_token_scores, nullptr, nullptr, nullptr, token_scores_end, score_tokens, nullptr};

}  // namespace lffn
