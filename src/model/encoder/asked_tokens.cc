// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/asked_tokens.h"

namespace lffn {

int64_t last_class_token(const Model& model, const ModelCall& call, int64_t sequence) {
  const int32_t* const ids = call.ids + call.offsets[sequence];
  int64_t last = call.length(sequence) - 1;
  while (last > 0 && ids[last] == model.config().class_pad_id) --last;
  return last;
}

AskedTokens::AskedTokens(const Model& model, const ModelCall& call) : model_(model), call_(call) {
  const ModelConfig& config = model.config();
  // Distances are of neighbouring queries, and heads of queries are whole panels.
  all_ = call.hidden != nullptr || call.token_scores != nullptr || call.token_vectors != nullptr ||
         call.sparse != nullptr || !model.places().empty() || config.layers.back().query_size() % kPanel != 0;
  if (call.class_scores != nullptr) {
    first_ = config.class_pooling == ClassPooling::kFirst;
    last_of_class_ = config.class_pooling == ClassPooling::kLast;
    all_ = all_ || (!first_ && !last_of_class_);
  }
  const auto pool = [&](Pooling pooling) {
    first_ = first_ || pooling == Pooling::kFirst;
    last_ = last_ || pooling == Pooling::kLast;
    all_ = all_ || !is_one_token(pooling);
  };
  if (call.embeddings == nullptr) return;
  if (call.pooling.has_value()) {
    pool(*call.pooling);
  } else {
    for (const Pooling pooling : model.sentence().pooling) pool(pooling);
  }
}

KeptTokens AskedTokens::keep(const Span& chunk, int32_t* room) const {
  const KeptTokens all = keep_all(call_, chunk);
  if (all_) return all;
  int32_t *const tokens = room, *const ids = room + chunk.tokens;
  std::fill_n(tokens, chunk.tokens, 0);
  const auto ask = [&](int64_t token) {
    const int64_t at = token - chunk.begin;
    if (at >= 0 && at < chunk.tokens) tokens[at] = 1;
  };
  for (int64_t s = chunk.first; s < chunk.last; ++s) {
    if (call_.length(s) == 0) continue;
    if (first_) ask(call_.offsets[s]);
    if (last_) ask(call_.offsets[s + 1] - 1);
    if (last_of_class_) ask(call_.offsets[s] + last_class_token(model_, call_, s));
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

}  // namespace lffn
