// SPDX-License-Identifier: Apache-2.0
// Adapters: some matrices of a model have a product of two thin ones beside them for each of several tasks, which is
// added where a task is chosen.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/safetensors.h"
#include "model/config/model_config.h"

namespace lffn {

// The matrices that an adapter changes, computed while they are read. They point into other tensors' files.
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

// Of a model without any.
[[noreturn]] void refuse_adapter(const std::string& name);

}  // namespace lffn
