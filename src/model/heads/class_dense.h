// SPDX-License-Identifier: Apache-2.0
// The dense layer and the norm before the class scores of sequences or of tokens.
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

// Memory for as many of the rows as go through at once; none where there is no such layer.
size_t place_class_dense(const ModelCore& model, int64_t rows, ScratchParts& parts);
// Runs at most kHeadRows rows through it, into that memory. Without such a layer it returns the rows themselves.
Rows through_class_dense(const Pass& pass, const Rows& in, int64_t rows, size_t place);

}  // namespace lffn
