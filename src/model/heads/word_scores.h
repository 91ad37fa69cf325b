// SPDX-License-Identifier: Apache-2.0
// Scores words with the language model's head, for all heads that read such scores.
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

struct WordScratch {
  size_t block = 0;  // [rows][row_stride(embedding_size)]
  size_t words = 0;  // scratch memory for scoring words
};
WordScratch place_words(const ModelCore& model, int64_t rows, ScratchParts& parts);

// Runs some rows of hidden states through the layers before the decoder; the results lie back to back.
void prepare_words(const Pass& pass, const float* states, int64_t rows, const Rows& block);
// logits: [rows][vocab_size]
void score_words(const Pass& pass, const float* states, int64_t rows, const WordScratch& scratch, float* logits);

}  // namespace lffn
