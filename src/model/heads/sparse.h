// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"

namespace lffn {

// What a call for sparse vectors takes besides the other scratch memory; 0 for a model that gives none.
size_t sparse_scratch_bytes(const Model& model);

}  // namespace lffn
