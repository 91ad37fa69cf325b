// SPDX-License-Identifier: Apache-2.0
// An int8 projection as words, as the kernels read it, and back.
#pragma once

#include <cstdint>

#include "layer/pack.h"

namespace lffn {

// Fills weights, token_weights and starts, and the plan's pointers to them. `rows` is the folded weight as files have
// it; the plan's sizes and flags must be there.
void lay_words(const int8_t* rows, const Kernels& kernels, PackedProjection& packed);

// The rows again, every byte as it was.
void lift_words(const PackedProjection& packed, const Kernels& kernels, int8_t* rows);

}  // namespace lffn
