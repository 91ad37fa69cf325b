// SPDX-License-Identifier: Apache-2.0
// From the scores of a call's tokens to the entities in its texts.
#pragma once

#include "api/run_memory.h"
#include "model/model.h"

namespace lffn {

// Fills those of the memory, as a result shows them. The texts are those that were read last; scores is
// [tokens][num_token_classes].
void find_entities(const Model& model, const lffn_model_run_args& args, const float* scores, RunMemory& memory);
void show_entities(const RunMemory& memory, lffn_result_view& view);

}  // namespace lffn
