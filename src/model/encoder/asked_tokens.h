// SPDX-License-Identifier: Apache-2.0
// Which tokens' hidden states the heads of a call read. Where these are few, the last layer runs on them alone.
#pragma once

#include <cstdint>

#include "model/encoder/head.h"

namespace lffn {

class AskedTokens {
 public:
  // heads: those that the call wants. All must outlive it.
  AskedTokens(const ModelCore& model, const ModelCall& call, const HeadTable& heads);
  // Whether the heads may leave tokens out, and nothing else reads these.
  bool may_be_some() const { return !all_; }
  // Those of a chunk, if they are few; else all. `room` is for 2 * chunk.tokens numbers, where some may be left out.
  KeptTokens keep(const Span& chunk, int32_t* room) const;

 private:
  const ModelCore& model_;
  const ModelCall& call_;
  const HeadTable& heads_;
  bool all_ = false;
};

}  // namespace lffn
