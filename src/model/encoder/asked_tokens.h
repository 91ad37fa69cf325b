// SPDX-License-Identifier: Apache-2.0
// Which tokens' hidden states the heads of a call read. Where these are few, the last layer runs on them alone.
#pragma once

#include <cstdint>

#include "model/encoder/head.h"

namespace lffn {

class AskedTokens {
 public:
  // heads: those that the call wants. All three arguments must outlive the object.
  AskedTokens(const ModelCore& model, const ModelCall& call, const HeadTable& heads);
  // Whether heads may leave out tokens that nothing else reads either.
  bool may_be_some() const { return !all_; }
  // The tokens of a chunk that heads read, if these are few; else all. `room` has 2 * chunk.tokens numbers if
  // may_be_some().
  KeptTokens keep(const Span& chunk, int32_t* room) const;

 private:
  const ModelCore& model_;
  const ModelCall& call_;
  const HeadTable& heads_;
  bool all_ = false;
};

}  // namespace lffn
