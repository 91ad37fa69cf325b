// SPDX-License-Identifier: Apache-2.0
// The heads of this folder; each has its own file.
#pragma once

#include "model/encoder/head.h"

namespace lffn {

extern const Head kLogitsHead;         // of the whole vocabulary, at some positions
extern const Head kFillingsHead;       // the most likely words for masks
extern const Head kClassScoresHead;    // of sequences
extern const Head kTokenScoresHead;    // of each token
extern const Head kEmbeddingsHead;     // one vector for each sequence
extern const Head kSparseVectorsHead;  // likewise, made of the vocabulary's scores
extern const Head kTokenWeightsHead;   // likewise, made of a weight for each token

}  // namespace lffn
