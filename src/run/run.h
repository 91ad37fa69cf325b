// SPDX-License-Identifier: Apache-2.0
// Runs a model on what a request says, and gives what is asked for.
#pragma once

#include <string_view>

#include "model/heads/embedding_forms.h"
#include "model/model.h"
#include "run/memory.h"
#include "run/outputs.h"
#include "run/read.h"
#include "run/request.h"

namespace lffn {

// Each of these sets is made by one calculation, or from what it makes.
inline constexpr OutputSet kEmbeddingOutputs =
    set_of(LFFN_OUT_EMBEDDINGS, LFFN_OUT_INT8_EMBEDDINGS, LFFN_OUT_EMBEDDING_SCALES, LFFN_OUT_BIT_EMBEDDINGS);
inline constexpr OutputSet kTokenVectorOutputs =
    set_of(LFFN_OUT_TOKEN_VECTORS, LFFN_OUT_INT8_TOKEN_VECTORS, LFFN_OUT_TOKEN_VECTOR_SCALES, LFFN_OUT_VECTOR_TOKENS,
           LFFN_OUT_VECTOR_OFFSETS);
inline constexpr OutputSet kFillingOutputs = set_of(LFFN_OUT_FILLING_IDS, LFFN_OUT_FILLING_PROBABILITIES);
inline constexpr OutputSet kMaskOutputs = kFillingOutputs | set_of(LFFN_OUT_MASK_POSITIONS, LFFN_OUT_MASK_OFFSETS);
inline constexpr OutputSet kSparseOutputs =
    set_of(LFFN_OUT_SPARSE_IDS, LFFN_OUT_SPARSE_WEIGHTS, LFFN_OUT_SPARSE_OFFSETS);
inline constexpr OutputSet kEntityOutputs = set_of(LFFN_OUT_ENTITY_BEGINS, LFFN_OUT_ENTITY_ENDS, LFFN_OUT_ENTITY_SCORES,
                                                   LFFN_OUT_ENTITY_CLASSES, LFFN_OUT_ENTITY_OFFSETS);
// What run() can give: the rows of its table, and what was read.
OutputSet run_outputs();

// Throws Error.
void run(const Model& model, const Request& request, Outputs& outputs, CallMemory& memory);

// A run in progress.
struct Run {
  const Model& model;
  const Request& request;
  Outputs& outputs;
  CallMemory& memory;
  ReadRows read = {};
  ModelCall call = {};        // what the model fills
  EmbeddingForms forms = {};  // what is made of its embeddings
  bool has_run = false;

  bool asks(OutputSet set) const { return outputs.asks(set); }
  // Whether texts are queries that do not go through the encoder.
  bool is_sparse_query() const;
  // What kind of text a late model takes the texts for.
  LateRole role() const;
};

// Throws Error unless the request makes sense for the model and the outputs.
void check(const Run& run);
void check_sequences(const Run& run);

// Texts become sequences of tokens, or ids are taken.
void read_sequences(Run& run);

// The outputs' table: whether they may be asked for, how large they are, and where they come from.
void check_outputs(const Run& run);
void set_sizes(Run& run);
void place_outputs(Run& run);
void give_outputs(Run& run);

}  // namespace lffn
