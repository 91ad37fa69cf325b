// SPDX-License-Identifier: Apache-2.0
// Numbers of a model that stay float32: vectors, the tables of positions and types, and layer norms.
#pragma once

#include <vector>

#include "format/safetensors.h"
#include "model/model_tensors.h"
#include "runtime/memory.h"

namespace lffn {

// With zeros behind them up to a whole panel.
class Floats {
 public:
  Floats() = default;
  explicit Floats(const TensorView& tensor);
  static size_t bytes_for(const std::vector<int64_t>& shape);

  bool empty() const { return shape_.empty(); }
  const float* data() const { return values_.as<float>(); }
  int64_t num_parameters() const { return empty() ? 0 : count_of(shape_); }
  int64_t stored_bytes() const { return num_parameters() * static_cast<int64_t>(sizeof(float)); }
  size_t bytes() const { return values_.size(); }
  // Under this name as it is: that of a vector has no ending.
  void add_stored(const std::string& name, std::vector<TensorView>& tensors) const;

 private:
  std::vector<int64_t> shape_;
  Memory values_;
};

class Norm {
 public:
  Norm() = default;
  explicit Norm(const NormTensors& tensors);
  static size_t bytes_for(int64_t size) { return checked_product(static_cast<size_t>(size), 2 * sizeof(float)); }

  bool empty() const { return plan_.size == 0; }
  const NormPlan& plan() const { return plan_; }
  int64_t num_parameters() const { return 2 * plan_.size; }
  int64_t stored_bytes() const { return num_parameters() * static_cast<int64_t>(sizeof(float)); }
  size_t bytes() const { return values_.size(); }
  void add_stored(const std::string& name, std::vector<TensorView>& tensors) const;

 private:
  NormPlan plan_ = {};
  Memory values_;  // gain, then shift
};

}  // namespace lffn
