// SPDX-License-Identifier: Apache-2.0
// What the language model's head scores words with: shared by all heads that read its scores.
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

struct WordScratch {
  size_t block = 0;  // [rows][row_stride(embedding_size)]
  size_t words = 0;  // what scoring words takes
};
WordScratch place_words(const ModelCore& model, int64_t rows, ScratchParts& parts);

// What words are scored with, of some rows of hidden states, back to back.
void prepare_words(const Pass& pass, const float* states, int64_t rows, const Rows& block);
// logits: [rows][vocab_size]
void score_words(const Pass& pass, const float* states, int64_t rows, const WordScratch& scratch, float* logits);

}  // namespace lffn
