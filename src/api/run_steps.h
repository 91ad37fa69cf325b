// SPDX-License-Identifier: Apache-2.0
// The steps of a call to lffn_model_run: its checks, its texts, its entities and where all that it gives goes.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/run_memory.h"
#include "lookupffn/lookupffn.h"
#include "model/heads/tasks.h"
#include "model/model.h"

namespace lffn {

// Checks. All throw Error(LFFN_ERROR_INVALID_ARGUMENT) unless told.

// What of a call is wanted, whether in the caller's memory or in a result.
struct Wanted {
  bool hidden, embeddings, logits, class_scores, fillings, statuses, token_scores, entities, token_vectors;
  bool other_embeddings;  // than a sequence's own ones as the model gives them
  bool pooled() const { return embeddings || class_scores; }
};

// Whether the model can give it, whether flags and values are known, and whether the members go together.
Wanted wanted_of(const Model& model, const lffn_model_run_args& args);

// [n + 1] numbers that begin with 0 and never fall.
void check_offsets(const int64_t* offsets, int64_t n);

// Offsets in order, ids in the vocabulary, types known, nothing too long, and nothing empty where that has no result.
void check_sequences(const Model& model, const lffn_model_run_args& args, bool pooled);

// rows * columns, or an error where so many numbers are more than any memory holds.
int64_t extent(int64_t rows, int64_t columns, const char* name);
// Throws Error(LFFN_ERROR_TOO_SMALL).
void check_room(const void* out, int64_t capacity, int64_t needed, const char* name);

// Texts become the sequences of tokens that the model runs.

// One of the caller's texts, whose sizes may be NULL. Throws Error that calls it by its name.
std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i, const char* name = "text");

// Whether a text's own failure is of this kind.
bool is_of_text(lffn_status status);

// Fills the texts of the memory. One that cannot be run is an empty sequence with its status and message where
// `keep_going`, and else the whole call's failure. Throws Error.
void read_texts(const Model& model, const lffn_model_run_args& args, bool keep_going, RunMemory& memory);

// The scores of tokens become entities.

// Fills those of the memory, as a result shows them. The texts are those that were read last; scores is
// [tokens][num_token_classes].
void find_entities(const Model& model, const lffn_model_run_args& args, const float* scores, RunMemory& memory);
void show_entities(const RunMemory& memory, lffn_result_view& view);

// Outputs go into the caller's memory or into a result.

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
