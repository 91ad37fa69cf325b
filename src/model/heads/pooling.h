// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/encoder/pass.h"

namespace lffn {

// One vector for each sequence, into the call's memory, or into scratch where modules follow.
void pool(const Pass& pass, const Span& chunk, const KeptTokens& kept, const Rows& hidden);
// What a sentence encoder's modules make of these.
void run_modules(const Pass& pass, const Span& chunk);

}  // namespace lffn
