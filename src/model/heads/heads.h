// SPDX-License-Identifier: Apache-2.0
// What is made of the hidden states: vocabulary logits, scores of texts and of tokens.
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

// What the language model's head scores words with.
void prepare_words(const Pass& pass, const float* states, int64_t rows, const Rows& block);
// The logits that the call asks for, of the states kept in layout.asked.
void predict(const Pass& pass);
void fill_masks(const Pass& pass, const Span& chunk, const KeptTokens& kept, const Rows& hidden);

// The vector of a sequence that its classes are scored of; `tokens` begins with its first one.
void pool_for_classes(const Pass& pass, const Rows& tokens, int64_t sequence, float* out);
// The scores of the vectors in layout.firsts.
void classify(const Pass& pass, const Span& chunk);
void score_tokens(const Pass& pass, const Span& chunk, const Rows& hidden);

}  // namespace lffn
