// SPDX-License-Identifier: Apache-2.0
// One call on its way through a model: its workers, its scratch memory and its clock. What the parts of a model do with
// it stands in their own headers.
#pragma once

#include <optional>

#include "model/encoder/head.h"
#include "model/encoder/model_core.h"
#include "model/encoder/scratch_layout.h"
#include "model/encoder/stage_clock.h"
#include "model/tensors/workers.h"

namespace lffn {

struct Pass {
  // The model and the call must outlive it.
  Pass(const ModelCore& model, const ModelCall& call, const HeadTable& all_heads);
  void run();

  // `copy`, unless it is nullptr, receives the same rows with the same stride.
  void normalise(const Norm& norm, const Rows& rows, int64_t count, float* copy = nullptr) const;

  uint8_t* bytes(size_t offset) const { return scratch->data() + offset; }
  Borders borders(const ScratchParts& parts) const { return {scratch->data(), parts}; }
  float* floats(size_t offset) const { return reinterpret_cast<float*>(bytes(offset)); }
  Linear::Packed packed() const { return {reinterpret_cast<int32_t*>(bytes(layout.packed)), layout.packed_stride}; }

  const ModelCore& model;
  const ModelConfig& config;
  const Weights& weights;
  const ModelCall& call;
  const HeadTable heads;  // that the call wants
  const int64_t d;        // hidden_size
  const bool norms_wide;  // the embeddings' norm is of widened vectors
  const Workers workers;
  StageClock clock;
  ScratchLayout layout;
  std::optional<ScratchPool::Lease> scratch;
};

}  // namespace lffn
