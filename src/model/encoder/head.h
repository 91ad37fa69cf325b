// SPDX-License-Identifier: Apache-2.0
// A head as a pass sees it: it makes some output of the last layer's hidden states. A pass gets the table of all heads
// and knows none of them by name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/encoder/kept_tokens.h"
#include "model/encoder/model_core.h"
#include "model/tensors/workers.h"

namespace lffn {

struct Pass;

// A chunk's hidden states after the last norm.
struct HiddenStates {
  const Span& chunk;
  const KeptTokens& kept;
  Rows rows;
  // The row of a kept token; `token` counts the call's tokens.
  float* of(int64_t token) const { return rows.row(kept.before(token - chunk.begin)); }
};

// The most tokens and sequences of any chunk of a call.
struct ChunkExtent {
  int64_t tokens = 0;
  int64_t sequences = 0;
};

struct Head {
  bool (*is_wanted)(const ModelCall& call, const ModelCore& model);
  // Which hidden states the head reads: all, or in each chunk those of the tokens that it marks. Without `mark` it
  // always reads all, without `reads_all` never.
  bool (*reads_all)(const ModelCall& call, const ModelCore& model) = nullptr;
  void (*mark)(const ModelCall& call, const ModelCore& model, const Span& chunk, const TokenMarks& marks) = nullptr;
  // Scratch memory that lasts as long as the call, in bytes. nullptr: none.
  size_t (*kept_bytes)(const ModelCall& call, const ModelCore& model) = nullptr;
  // The end of the memory that the head works in, which begins at `begin`. Other stages use it before and after.
  // nullptr: the head needs none.
  size_t (*stage_end)(const ModelCall& call, const ModelCore& model, const ChunkExtent& extent, size_t begin) = nullptr;
  // Once for each chunk. kept: where its kept_bytes are.
  void (*run)(const Pass& pass, const HiddenStates& states, size_t kept) = nullptr;
  // After the last chunk. nullptr: nothing is left to do.
  void (*finish)(const Pass& pass, size_t kept) = nullptr;
};

constexpr size_t kMostHeads = 8;

// In the order in which they run.
class HeadTable {
 public:
  constexpr HeadTable() = default;
  template <size_t n>
  explicit constexpr HeadTable(const Head* const (&heads)[n]) {
    static_assert(n <= kMostHeads);
    for (const Head* head : heads) add(*head);
  }
  constexpr void add(const Head& head) { heads_[size_++] = &head; }
  size_t size() const { return size_; }
  const Head& operator[](size_t i) const { return *heads_[i]; }
  HeadTable wanted(const ModelCall& call, const ModelCore& model) const {
    HeadTable some;
    for (size_t i = 0; i < size_; ++i) {
      if (heads_[i]->is_wanted(call, model)) some.add(*heads_[i]);
    }
    return some;
  }

 private:
  const Head* heads_[kMostHeads] = {};
  size_t size_ = 0;
};

}  // namespace lffn
