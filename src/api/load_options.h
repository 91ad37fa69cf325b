// The options of all functions that load.
#pragma once

#include "layer/layer.h"

namespace lffn {

// NULL means the defaults. Throws Error(LFFN_ERROR_INVALID_ARGUMENT).
LoadOptions read_options(const lffn_load_options* options);

}  // namespace lffn
