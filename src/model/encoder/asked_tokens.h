// SPDX-License-Identifier: Apache-2.0
// Which tokens' hidden states the heads of a call read. Where these are few, the last layer runs on them alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/model.h"

namespace lffn {

// The tokens of a chunk whose hidden states go on, in rows one after another.
struct KeptTokens {
  const int32_t* tokens;  // their numbers in the chunk, rising; nullptr: all of them
  const int32_t* ids;
  int64_t count;
  int64_t begin;  // the chunk's first token in the call
  bool some() const { return tokens != nullptr; }
  // How many are before this token of the chunk: if it is kept, its row.
  int64_t before(int64_t token) const {
    return tokens == nullptr ? token : std::lower_bound(tokens, tokens + count, token) - tokens;
  }
};

inline KeptTokens keep_all(const ModelCall& call, const Span& chunk) {
  return {nullptr, call.ids + chunk.begin, chunk.tokens, chunk.begin};
}

// The number, within a sequence that is not empty, of its last token that is no padding for classes.
int64_t last_class_token(const Model& model, const ModelCall& call, int64_t sequence);

class AskedTokens {
 public:
  // Both must outlive it.
  AskedTokens(const Model& model, const ModelCall& call);
  // Whether the heads may leave tokens out, and nothing else reads these.
  bool may_be_some() const { return !all_; }
  // Those of a chunk, if they are few; else all. `room` is for 2 * chunk.tokens numbers, where some may be left out.
  KeptTokens keep(const Span& chunk, int32_t* room) const;

 private:
  const Model& model_;
  const ModelCall& call_;
  bool all_ = false, first_ = false, last_ = false, last_of_class_ = false;  // of each sequence
};

}  // namespace lffn
