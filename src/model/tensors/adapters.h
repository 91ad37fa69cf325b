// SPDX-License-Identifier: Apache-2.0
// Adapters: beside some matrices of a model lie, for each of several tasks, two thin matrices. If a task is chosen,
// their product is added to the matrix.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/safetensors.h"
#include "model/config/model_config.h"

namespace lffn {

// The matrices that an adapter changes, computed while they are read. They point into the files of the original
// tensors.
class AdaptedTensors {
 public:
  AdaptedTensors() = default;
  // Puts the sums in the places of the matrices that the adapter `name` changes. Throws
  // Error(LFFN_ERROR_INVALID_ARGUMENT) where the model has no such adapter, and Error(LFFN_ERROR_BAD_MODEL).
  AdaptedTensors(const std::string& name, const ModelConfig& config, std::vector<TensorView>& tensors);

  // Memory of the thin matrices.
  size_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<const Bytes>> sums_;
  size_t bytes_ = 0;
};

// For a model without adapters.
[[noreturn]] void refuse_adapter(const std::string& name);

}  // namespace lffn
