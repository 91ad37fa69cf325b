// SPDX-License-Identifier: Apache-2.0
// How much memory a layer takes, told from its shape alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/layer_config.h"
#include "kernels/kernels.h"

namespace lffn {

// As pack_projection and pack_tables allocate, or a few hundred bytes more; a test holds them together. The types are
// those that the weights are to have in memory.
size_t packed_bytes(const LayerConfig& config, int32_t table_dtype, int32_t hash_dtype, const Kernels& kernels);

// What packing takes beside that, for a while.
size_t packing_bytes(const LayerConfig& config);

}  // namespace lffn
