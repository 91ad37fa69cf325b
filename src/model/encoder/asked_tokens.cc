// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/asked_tokens.h"

namespace lffn {

AskedTokens::AskedTokens(const ModelCore& model, const ModelCall& call, const HeadTable& heads)
    : model_(model), call_(call), heads_(heads) {
  // Distances need queries that are neighbours, and the query heads must be whole panels.
  all_ = call.hidden != nullptr || !model.places().empty() || model.config().layers.back().query_size() % kPanel != 0;
  for (size_t i = 0; i < heads.size(); ++i) {
    all_ = all_ || heads[i].mark == nullptr || (heads[i].reads_all != nullptr && heads[i].reads_all(call, model));
  }
}

KeptTokens AskedTokens::keep(const Span& chunk, int32_t* room) const {
  const KeptTokens all = keep_all(call_, chunk);
  if (all_) return all;
  int32_t *const tokens = room, *const ids = room + chunk.tokens;
  std::fill_n(tokens, chunk.tokens, 0);
  const TokenMarks marks(chunk, tokens);
  for (size_t i = 0; i < heads_.size(); ++i) heads_[i].mark(call_, model_, chunk, marks);
  int64_t count = 0;
  for (int64_t t = 0; t < chunk.tokens; ++t) {
    if (tokens[t] == 0) continue;
    ids[count] = all.ids[t];
    tokens[count++] = static_cast<int32_t>(t);
  }
  return 2 * count <= chunk.tokens ? KeptTokens{tokens, ids, count, chunk.begin} : all;
}

}  // namespace lffn
