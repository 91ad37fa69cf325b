// SPDX-License-Identifier: Apache-2.0
// What callers pass in structs, checked. All throw Error(LFFN_ERROR_INVALID_ARGUMENT).
#pragma once

#include <cstdint>
#include <vector>

#include "format/folder.h"
#include "format/layer_config.h"
#include "format/safetensors.h"
#include "lookupffn/lookupffn.h"

namespace lffn {

LayerConfig read_config(const lffn_layer_config* config);
// Views of the caller's memory.
std::vector<FolderInMemory::File> read_files(const lffn_file* files, int64_t n_files);
std::vector<TensorView> read_tensors(const lffn_tensor* tensors, int64_t count);

}  // namespace lffn
