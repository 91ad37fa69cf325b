// From the caller's struct to a checked config.
#pragma once

#include "format/layer_config.h"
#include "lookupffn/lookupffn.h"

namespace lffn {

// Throws Error(LFFN_ERROR_INVALID_ARGUMENT).
LayerConfig read_config(const lffn_layer_config* config);

}  // namespace lffn
