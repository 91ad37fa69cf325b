// SPDX-License-Identifier: Apache-2.0
// Which tokens' hidden states are asked for.
#include <algorithm>

#include "model/pass.h"

namespace lffn {

// Those that heads will read, if they are few.
KeptTokens Pass::keep_asked(const Span& chunk) const {
  const KeptTokens all = keep_all(chunk);
  if (!asks_for_some(model_, call_)) return all;
  int32_t* const tokens = reinterpret_cast<int32_t*>(bytes(layout_.kept));
  int32_t* const ids = tokens + chunk.tokens;
  std::fill_n(tokens, chunk.tokens, 0);
  const auto ask = [&](int64_t token) {
    const int64_t at = token - chunk.begin;
    if (at >= 0 && at < chunk.tokens) tokens[at] = 1;
  };
  const std::vector<Pooling>& own = model_.sentence().pooling;
  const bool pools_last = call_.embeddings != nullptr &&
                          (call_.pooling.has_value() ? *call_.pooling == Pooling::kLast
                                                     : std::find(own.begin(), own.end(), Pooling::kLast) != own.end());
  if (call_.class_scores != nullptr || call_.embeddings != nullptr) {
    for (int64_t s = chunk.first; s < chunk.last; ++s) {
      if (call_.length(s) == 0) continue;
      ask(call_.offsets[s]);
      if (pools_last) ask(call_.offsets[s + 1] - 1);
    }
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

// The rows of some kept tokens move to where they go on.
void Pass::gather(const KeptTokens& kept, int64_t first, int64_t count, const Rows& hidden) {
  if (!kept.some()) return;
  for (int64_t i = first; i < first + count; ++i) {
    if (kept.tokens[i] != i) std::copy_n(hidden.row(kept.tokens[i]), hidden.stride, hidden.row(i));
  }
}

}  // namespace lffn
