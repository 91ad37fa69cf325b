// SPDX-License-Identifier: Apache-2.0
// The parts of a layer's feed-forward block, each added to hidden states, and the norms that attention shares with
// them.
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

// What a part's input and its result are normalised with.
struct Reading {
  const Norm* norm = nullptr;       // nullptr: none
  bool in_place = false;            // the residual is normalised, too
  const Norm* of_result = nullptr;  // before it is added
};

// Applies a norm that is in place, for a part that does not read the rows itself.
void settle(const Pass& pass, const Reading& reading, const Rows& hidden, int64_t count);
// hidden += norm(result); the result is overwritten.
void add_normed(const Pass& pass, const Norm& norm, const Rows& result, int64_t count, const Rows& hidden);

void add_bias(const Pass& pass, const Floats& bias, int64_t tokens, const Rows& hidden);
// For blocks in which add_neurons does not add them.
void add_word_rows(const Pass& pass, const WordRows& word_rows, const KeptTokens& kept, const Rows& hidden);
void add_neurons(const Pass& pass, size_t number, const Reading& read, const KeptTokens& kept, const Rows& hidden);
void add_lookup(const Pass& pass, const LayerWeights& layer, const Reading& read, const KeptTokens& kept,
                const Rows& hidden);

}  // namespace lffn
