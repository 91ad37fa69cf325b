// SPDX-License-Identifier: Apache-2.0
// The files of a folder that hold its weights: model.safetensors, or several that an index names.
#pragma once

#include <memory>
#include <vector>

#include "format/folder.h"
#include "format/safetensors.h"

namespace lffn {

struct WeightFiles {
  std::vector<TensorView> tensors;  // of all files
  std::vector<std::unique_ptr<const Bytes>> files;
};

// Throws Error(LFFN_ERROR_BAD_MODEL) that names the file, or Error(LFFN_ERROR_UNSUPPORTED) for a folder with weights in
// another format only.
WeightFiles open_weight_files(const Folder& folder);

}  // namespace lffn
