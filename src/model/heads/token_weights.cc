// SPDX-License-Identifier: Apache-2.0
// One sparse vector for each sequence, of the weights of its tokens.
#include <algorithm>

#include "model/encoder/pass.h"
#include "model/heads/heads.h"

namespace lffn {
namespace {

struct WeightsLayout {
  ScratchParts parts;
  size_t weights = 0;  // of each token
};

WeightsLayout lay_out_weights(const ModelCore& model, int64_t tokens, size_t begin) {
  WeightsLayout layout = {ScratchParts(begin), 0};
  if (model.sentence().sparse.of_tokens) layout.weights = layout.parts.place(floats_bytes(tokens, 1));
  return layout;
}

bool wants_token_weights(const ModelCall& call, const ModelCore& model) {
  return call.sparse != nullptr && model.sentence().sparse.of_tokens;
}

size_t weights_end(const ModelCall&, const ModelCore& model, const ChunkExtent& extent, size_t begin) {
  return lay_out_weights(model, extent.tokens, begin).parts.end();
}

// Each token of the text has a weight; if a token occurs several times, the largest weight counts.
void weigh_tokens(const Pass& pass, const HiddenStates& states, size_t) {
  const Span& chunk = states.chunk;
  const std::vector<int32_t>& left_out = pass.model.sentence().sparse.left_out;
  const WeightsLayout layout = lay_out_weights(pass.model, chunk.tokens, pass.layout.stage);
  const Borders borders = pass.borders(layout.parts);
  Linear::Call weigh;
  weigh.in = states.rows;
  weigh.rows = chunk.tokens;
  weigh.out = {pass.floats(layout.weights), 1};
  pass.weights.sparse_tokens.run(pass.workers, weigh);
  for (int64_t s = chunk.first; s < chunk.last; ++s) {
    for (int64_t t = pass.call.offsets[s]; t < pass.call.offsets[s + 1]; ++t) {
      const float weight = *weigh.out.row(t - chunk.begin);
      if (!(weight > 0) || std::binary_search(left_out.begin(), left_out.end(), pass.call.ids[t])) continue;
      pass.call.sparse->add(pass.call.ids[t], weight);
    }
    pass.call.sparse->keep_largest();
    pass.call.sparse->finish_row(pass.call.sparse_limits);
  }
}

}  // namespace

const Head kTokenWeightsHead = {wants_token_weights, nullptr, nullptr, nullptr, weights_end, weigh_tokens, nullptr};

}  // namespace lffn
