// SPDX-License-Identifier: Apache-2.0
// From the texts of a call to the sequences of tokens that the model runs.
#pragma once

#include <string_view>

#include "api/run_memory.h"
#include "model/model.h"

namespace lffn {

// One of the caller's texts, whose sizes may be NULL. Throws Error that calls it by its name.
std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i, const char* name = "text");

// Whether a text's own failure is of this kind.
bool is_of_text(lffn_status status);

// Fills the texts of the memory. One that cannot be run is an empty sequence with its status and message where
// `keep_going`, and else the whole call's failure. Throws Error.
void read_texts(const Model& model, const lffn_model_run_args& args, bool keep_going, RunMemory& memory);

}  // namespace lffn
