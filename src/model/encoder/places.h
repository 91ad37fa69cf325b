// SPDX-License-Identifier: Apache-2.0
// What attention adds to the score of two tokens for the distance between them. Made once of a model's weights.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config/model_config.h"
#include "model/tensors/weights.h"
#include "model/tensors/workers.h"

namespace lffn {

class Places {
 public:
  Places() = default;
  Places(const ModelConfig& config, const Weights& weights, const Workers& workers);
  static size_t bytes_for(const ModelConfig& config);

  bool empty() const { return kind_ == Distances::kNone; }
  // Rows that queries or keys are multiplied with; 0: none are.
  int64_t num_places() const { return kind_ == Distances::kDisentangled ? 2 * span_ : 0; }

  // The part that depends on a call's longest sequence: the place of each distance (key minus query), from 1 - longest
  // on.
  size_t call_bytes(int64_t longest) const;
  void prepare(int64_t longest, int32_t* places) const;
  // `places` as prepare() filled them.
  void fill(size_t layer, int64_t head, int64_t longest, const int32_t* places, AttentionPlan& plan) const;

  size_t bytes() const;
  size_t layer_bytes(size_t layer) const;  // the layer's part of these

 private:
  void spread_buckets(const ModelConfig& config, const Floats& table);
  void pack_layer(const ModelConfig& config, const Weights& weights, size_t layer, const Workers& workers);

  Distances kind_ = Distances::kNone;
  int64_t span_ = 0;
  int64_t head_size_ = 0;
  std::vector<int64_t> firsts_;
  // kBuckets: [heads][row_], a number for each distance, distance 0 in the middle.
  int64_t row_ = 0;
  Memory by_distance_;
  // kDisentangled: for each layer [heads][panels of places][head_size][kPanel]; empty: none.
  std::vector<Memory> keys_, queries_;
};

}  // namespace lffn
