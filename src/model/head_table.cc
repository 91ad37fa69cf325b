// SPDX-License-Identifier: Apache-2.0
#include "model/head_table.h"

#include "model/heads/heads.h"
#include "model/late/late_vectors.h"

namespace lffn {
namespace {

constexpr const Head* kRows[] = {&kLogitsHead,        &kClassScoresHead,  &kTokenScoresHead, &kTokenVectorsHead,
                                 &kSparseVectorsHead, &kTokenWeightsHead, &kEmbeddingsHead,  &kFillingsHead};

}  // namespace

constexpr HeadTable kHeads(kRows);

}  // namespace lffn
