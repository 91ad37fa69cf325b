// SPDX-License-Identifier: Apache-2.0
// Rotary positions: each half of a head's numbers is turned against the other, by angles that grow with the position.
#pragma once

#include <cstdint>
#include <vector>

#include "model/config/model_config.h"
#include "model/tensors/workers.h"
#include "runtime/memory.h"

namespace lffn {

// The sines and cosines of a model's angles: those of the first positions made once, those of longer texts in each
// call.
class Rotations {
 public:
  Rotations() = default;
  explicit Rotations(const ModelConfig& config);
  static size_t bytes_for(const ModelConfig& config);

  bool empty() const { return kinds_.empty(); }
  size_t bytes() const { return table_.size(); }

  // The part that depends on a call's longest sequence.
  size_t call_bytes(int64_t longest) const;
  void prepare(const Workers& workers, int64_t longest, float* call_table) const;
  // A layer's table: for each position [head_size], cosines and then sines. `call_table` as prepare() filled it.
  const float* of_layer(size_t layer, int64_t longest, const float* call_table) const;

 private:
  void fill(size_t kind, int64_t position, float* row) const;

  int64_t head_size_ = 0;
  int64_t ready_ = 0;                      // positions in table_
  std::vector<std::vector<float>> kinds_;  // the frequencies of each kind of layer
  std::vector<size_t> kind_of_layer_;
  Memory table_;  // [kinds][ready_][head_size]
};

// Turns one head. `angles`: the row of its position.
inline void turn_head(const float* angles, int64_t head_size, float* head) {
  const int64_t half = head_size / 2;
  const float *cosine = angles, *sine = angles + half;
  float* other = head + half;
  for (int64_t i = 0; i < half; ++i) {
    const float x = head[i], y = other[i];
    head[i] = x * cosine[i] - y * sine[i];
    other[i] = y * cosine[i] + x * sine[i];
  }
}

}  // namespace lffn
