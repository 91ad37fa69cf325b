// SPDX-License-Identifier: Apache-2.0
// The heads of this folder; each has its own file.
#pragma once

#include "model/encoder/head.h"

namespace lffn {

extern const Head kLogitsHead;         // of some positions, of each word of the vocabulary
extern const Head kFillingsHead;       // the most likely words for masks
extern const Head kClassScoresHead;    // of sequences
extern const Head kTokenScoresHead;    // of each token
extern const Head kEmbeddingsHead;     // one vector for each sequence
extern const Head kSparseVectorsHead;  // likewise, of the words' scores
extern const Head kTokenWeightsHead;   // likewise, of a weight of each token

}  // namespace lffn
