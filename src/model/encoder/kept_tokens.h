// SPDX-License-Identifier: Apache-2.0
// The tokens of a chunk whose hidden states go on to the heads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/encoder/model_call.h"

namespace lffn {

// The tokens of a chunk whose hidden states go on, in rows one after another.
struct KeptTokens {
  const int32_t* tokens;  // their numbers in the chunk, ascending; nullptr: all of them
  const int32_t* ids;
  int64_t count;
  int64_t begin;  // the chunk's first token in the call
  bool some() const { return tokens != nullptr; }
  // How many kept tokens come before this token of the chunk: the row of a kept token.
  int64_t before(int64_t token) const {
    return tokens == nullptr ? token : std::lower_bound(tokens, tokens + count, token) - tokens;
  }
};

inline KeptTokens keep_all(const ModelCall& call, const Span& chunk) {
  return {nullptr, call.ids + chunk.begin, chunk.tokens, chunk.begin};
}

// Where heads say which tokens of a chunk they read.
class TokenMarks {
 public:
  // marks: a number for each token, all 0.
  TokenMarks(const Span& chunk, int32_t* marks) : chunk_(chunk), marks_(marks) {}
  // A token of the call; those of other chunks are left alone.
  void add(int64_t token) const {
    const int64_t at = token - chunk_.begin;
    if (at >= 0 && at < chunk_.tokens) marks_[at] = 1;
  }

 private:
  const Span& chunk_;
  int32_t* marks_;
};

}  // namespace lffn
