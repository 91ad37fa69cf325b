// SPDX-License-Identifier: Apache-2.0
// Runs models of static vectors.
#pragma once

#include "model/model.h"

namespace lffn {

// The call wants embeddings or token vectors, and nothing else.
void run_static(const Model& model, const ModelCall& call);
size_t static_scratch_bytes(const Model& model);

}  // namespace lffn
