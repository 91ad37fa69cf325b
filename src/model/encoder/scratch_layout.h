// SPDX-License-Identifier: Apache-2.0
// Where the parts of a call's scratch memory lie.
#pragma once

#include "model/model.h"
#include "runtime/borders.h"

namespace lffn {

// What the language model's head works with.
struct WordScratch {
  size_t block = 0;  // [rows][row_stride(embedding_size)]
  size_t words = 0;  // what scoring words takes
};

// Offsets in bytes. The stages use the same region one after the other: while one of them works, Borders of its parts
// live.
struct ScratchLayout {
  int64_t batch_tokens = 0;  // of the most that goes through attention at once
  size_t hidden = 0;         // [chunk][hidden_size], unless the caller's own memory serves
  size_t kept = 0;           // [2][chunk], tokens that are asked for and their ids, where these may be few
  size_t asked = 0;          // [positions][hidden_size]
  size_t firsts = 0;         // [sequences of a chunk][hidden_size]
  size_t pooled = 0;         // [sequences of a chunk][widest_module()]
  int64_t longest = 1;       // tokens of a sequence
  size_t places = 0;         // [2 * longest - 1], the place of each distance, where a model has places
  size_t angles = 0;         // of rotary positions, where sequences are longer than the model is ready for
  size_t inputs = 0;         // [chunk][hidden_size], what lookups and the linear layers beside them read
  ScratchParts call;         // all of these, while the call lasts
  size_t stage = 0;          // what the stages share
  ScratchParts encoder;      // of an encoder layer
  size_t normed = 0;         // [batch][normed_stride]
  size_t wide = 0;           // [batch][wide_stride], queries, keys and values or a dense block's inside
  size_t summed = 0;         // [batch][summed_stride], attention's result
  size_t packed = 0;         // [batch][packed_stride], rows as bytes for int8 layers
  int64_t packed_stride = 0;
  size_t thread = 0;  // one part for each thread
  size_t thread_bytes = 0;
  ScratchParts logits;  // of positions
  WordScratch positions;
  ScratchParts masks;
  int64_t head_rows = 0;   // of masks that go through the language model's head at once
  size_t mask_states = 0;  // [head_rows][hidden_size]
  size_t mask_logits = 0;  // [head_rows][vocab_size]
  WordScratch mask_words;
  ScratchParts classes;     // at the stage's start: rows behind a dense layer
  ScratchParts modules;     // there, too: two blocks of rows between modules
  size_t module_bytes = 0;  // of one
  ScratchParts late;        // there, too: three blocks of rows between layers of token vectors
  size_t late_bytes = 0;    // of one
  ScratchParts weights;     // there, too: of each token
  size_t total = 0;
};

// Of a call that wants something of at least one sequence.
ScratchLayout lay_out(const Model& model, const ModelCall& call);

// The most that a call takes, besides what grows with the positions whose logits are asked for.
size_t most_scratch_bytes(const Model& model);

// Tokens that go through all layers together, and tokens whose queries, keys and values exist at once.
int64_t chunk_tokens(const Model& model);
int64_t batch_tokens(const Model& model);

// Whether a sentence encoder's dense modules follow pooling, and the most numbers of a vector between them.
bool runs_modules(const Model& model, const ModelCall& call);
int64_t widest_module(const Model& model);

// Rows that go through a head at once: each reads all of its weights.
constexpr int64_t kHeadRows = 2 * kLinearRows;

// Rows as wide as this, so that those of a power of two do not share cache sets.
inline int64_t row_stride(int64_t numbers) { return round_up(numbers, 16) + 16; }

}  // namespace lffn
