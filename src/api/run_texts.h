// SPDX-License-Identifier: Apache-2.0
// From the texts of a call to the sequences of tokens that the model runs.
#pragma once

#include "api/run_memory.h"
#include "model/model.h"

namespace lffn {

// Fills texts and statuses of the memory. A text that cannot be run is an empty sequence with its
// status where `keep_going`, and else the whole call's failure. Throws Error.
void read_texts(const Model& model, const lffn_model_run_args& args, bool keep_going, RunMemory& memory);

}  // namespace lffn
