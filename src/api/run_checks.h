// SPDX-License-Identifier: Apache-2.0
// The checks of what a call to lffn_model_run is given. All throw Error(LFFN_ERROR_INVALID_ARGUMENT) unless told.
#pragma once

#include <cstdint>

#include "lookupffn/lookupffn.h"
#include "model/model.h"

namespace lffn {

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

}  // namespace lffn
