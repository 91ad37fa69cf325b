// SPDX-License-Identifier: Apache-2.0
// How much memory a model takes, told before it is loaded.
#pragma once

#include <string>

#include "format/folder.h"
#include "model/config/load_options.h"
#include "model/tensors/model_tensors.h"

namespace lffn {

struct MemoryEstimate {
  size_t weights = 0;  // packed: what lffn_model_costs.memory_bytes will be, or a little more
  size_t loading = 0;  // at the peak of loading, the weights included
};

MemoryEstimate estimate_memory(const ModelConfig& config, const ModelTensors& tensors, const ModelLoadOptions& options,
                               const Kernels& kernels);

// Reads a folder or a single file as load_model does, and keeps nothing. Throws Error.
MemoryEstimate estimate_memory(const std::string& path, const ModelLoadOptions& options, const Kernels& kernels);
// The same of the files of load_model_folder.
MemoryEstimate estimate_memory(const Folder& folder, const ModelLoadOptions& options, const Kernels& kernels);

}  // namespace lffn
