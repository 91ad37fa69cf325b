// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

// hidden += attention(hidden), hidden += ffn(hidden), with norms where the layer's description has them.
void run_layer(Pass& pass, size_t number, const Span& chunk, const KeptTokens& kept, const Rows& hidden);

}  // namespace lffn
