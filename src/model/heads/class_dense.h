// SPDX-License-Identifier: Apache-2.0
// The dense layer and the norm that classes' scores are made behind, of sequences or of tokens.
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

// Memory for as many of the rows as go through at once; none where there is no such layer.
size_t place_class_dense(const ModelCore& model, int64_t rows, ScratchParts& parts);
// At most kHeadRows rows, into that memory; where there is no such layer, these themselves.
Rows through_class_dense(const Pass& pass, const Rows& in, int64_t rows, size_t place);

}  // namespace lffn
