// SPDX-License-Identifier: Apache-2.0
// Where the parts of a call's scratch memory lie.
#pragma once

#include "model/model.h"

namespace lffn {

// What decides how much a call needs.
struct Model::Extent {
  int64_t chunk = 0;      // most tokens that go through all layers together
  int64_t longest = 0;    // tokens of a sequence
  bool hidden = false;    // the hidden states need scratch memory
  int64_t positions = 0;  // that logits are wanted of
  int64_t sequences = 0;  // that class scores are wanted of
  int64_t pooled = 0;     // sequences whose embeddings go through modules
};

// Offsets in bytes. The stages of an encoder layer use the same region one after the other.
struct Model::Layout {
  int64_t batch_tokens = 0;  // of the most that goes through attention at once
  size_t hidden = 0;         // [chunk][hidden_size], unless the caller's own memory serves
  size_t asked = 0;          // [positions][hidden_size]
  size_t firsts = 0;         // [sequences][hidden_size]
  size_t pooled = 0;         // [pooled][widest_module()]
  size_t inputs = 0;         // [chunk][hidden_size], what lookups and the linear layers beside them read
  size_t stage = 0;          // what the stages share
  size_t normed = 0;         // within a stage: [batch][normed_stride]
  size_t wide = 0;           // [batch][wide_stride], queries, keys and values or a vanilla layer's inside
  size_t summed = 0;         // [batch][summed_stride], attention's result
  size_t packed = 0;         // [batch][packed_stride], rows as bytes for int8 layers
  int64_t packed_stride = 0;
  size_t thread = 0;  // one part for each thread
  size_t thread_bytes = 0;
  size_t total = 0;
};

struct Model::Scratch {
  const Layout& layout;
  uint8_t* data;
  float* floats(size_t offset) const { return reinterpret_cast<float*>(data + offset); }
  Linear::Packed packed() const { return {reinterpret_cast<int32_t*>(data + layout.packed), layout.packed_stride}; }
};

// Rows that go through a head at once: each reads all of its weights.
constexpr int64_t kHeadRows = 2 * kLinearRows;

inline size_t floats_bytes(int64_t rows, int64_t stride) {
  return checked_product(checked_product(static_cast<size_t>(rows), static_cast<size_t>(stride)), sizeof(float));
}

// Rows as wide as this, so that those of a power of two do not share cache sets.
inline int64_t row_stride(int64_t numbers) { return round_up(numbers, 16) + 16; }

}  // namespace lffn
