// SPDX-License-Identifier: Apache-2.0
// The exact (erf) GELU, vectorised, for engines that have none of their own.
#pragma once

#include <cstdint>

namespace compare {

// v = gelu(v + bias) for one row.
void add_bias_gelu(float* v, const float* bias, int64_t n);

}  // namespace compare
