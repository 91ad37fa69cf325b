// SPDX-License-Identifier: Apache-2.0
// Where what a call gives goes: into the caller's memory or into a result.
#pragma once

#include <cstdint>

#include "api/run_checks.h"
#include "api/run_memory.h"
#include "model/embedding_forms.h"

namespace lffn {

// Tells the caller how large the results are, and takes the memory for them, before the first output is written. What
// the model is to give is put into the call, what is made of its embeddings into the forms. Throws Error.
EmbeddingForms place_outputs(const Model& model, const lffn_model_run_args& args, const Wanted& wanted,
                             RunMemory& memory, ModelCall& call);

// The failures of texts, for a result.
void list_messages(RunMemory& memory);
// Which bytes tokens, texts and pairs stand for, for a result.
void show_spans(const TextRows& rows, RunMemory& memory, lffn_result_view& view);

lffn_result_view view_of(const Model& model, const lffn_model_run_args& args, RunMemory& memory, const ModelCall& call,
                         const EmbeddingForms& forms);

}  // namespace lffn
