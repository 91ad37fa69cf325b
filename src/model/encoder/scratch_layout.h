// SPDX-License-Identifier: Apache-2.0
// Where the parts of a call's scratch memory lie.
#pragma once

#include <algorithm>
#include <array>

#include "model/encoder/head.h"
#include "runtime/borders.h"

namespace lffn {

// Offsets in bytes. The stages use the same region one after the other: while one of them works, Borders of its parts
// live.
struct ScratchLayout {
  int64_t batch_tokens = 0;  // how many go through attention at once
  size_t hidden = 0;         // [chunk][hidden_size], unless the caller's own memory serves
  size_t kept = 0;           // [2][chunk], tokens that heads read and their ids, where these may be few
  std::array<size_t, kMostHeads> of_heads = {};  // what each head keeps while the call lasts
  int64_t longest = 1;                           // tokens of the longest sequence
  size_t places = 0;     // [2 * longest - 1], the place of each distance, where a model has places
  size_t angles = 0;     // of rotary positions, where sequences are longer than the model is ready for
  size_t inputs = 0;     // [chunk][hidden_size], what lookups and the linear layers beside them read
  ScratchParts call;     // all of these, while the call lasts
  size_t stage = 0;      // what the stages share
  ScratchParts encoder;  // of an encoder layer
  size_t normed = 0;     // [batch][normed_stride]
  size_t wide = 0;       // [batch][wide_stride], queries, keys and values or a dense block's inside
  size_t summed = 0;     // [batch][summed_stride], attention's result
  size_t packed = 0;     // [batch][packed_stride], rows as bytes for int8 layers
  int64_t packed_stride = 0;
  size_t thread = 0;  // one part for each thread
  size_t thread_bytes = 0;
  size_t total = 0;
};

// For a call that has at least one sequence and wants these heads. some: the heads may read only some of the tokens.
ScratchLayout lay_out(const ModelCore& model, const ModelCall& call, const HeadTable& heads, bool some);

// The most that a call takes, besides what grows with the positions whose logits are asked for.
size_t most_scratch_bytes(const ModelCore& model, const HeadTable& heads);

// Tokens that go through all layers together, and tokens whose queries, keys and values exist at once.
int64_t chunk_tokens(const ModelCore& model);
int64_t batch_tokens(const ModelCore& model);

// Rows that go through a head at once: each reads all of its weights.
constexpr int64_t kHeadRows = 2 * kLinearRows;

// The stride of rows of so many numbers: rows whose stride is a power of two would share cache sets.
inline int64_t row_stride(int64_t numbers) { return round_up(numbers, 16) + 16; }

inline size_t floats_bytes(int64_t rows, int64_t stride) {
  return checked_product(checked_product(static_cast<size_t>(rows), static_cast<size_t>(stride)), sizeof(float));
}
// The bytes of as many of the rows as go through a head at once.
inline size_t block_bytes(int64_t rows, int64_t size) {
  return floats_bytes(std::min(rows, kHeadRows), row_stride(size));
}

}  // namespace lffn
