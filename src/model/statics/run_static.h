// SPDX-License-Identifier: Apache-2.0
// Runs models of static vectors.
#pragma once

#include "model/encoder/model_core.h"
#include "model/statics/static_vectors.h"

namespace lffn {

// The call wants embeddings or token vectors, and nothing else.
void run_static(const ModelCore& model, const StaticVectors& vectors, const ModelCall& call);
size_t static_scratch_bytes(const ModelCore& model, const StaticVectors& vectors);

}  // namespace lffn
