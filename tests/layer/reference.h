// SPDX-License-Identifier: Apache-2.0
// A LookupFFN layer in double precision, written straight from the definition. The tests' judge where there is no
// golden case.
#pragma once

#include <cstdint>
#include <vector>

#include "format/layer_config.h"

namespace lffn::reference {

struct Weights {
  std::vector<float> gain, shift, projection, hash_bias, tables, bias;
};

// Hash values of one token: [num_tables * code_bits].
std::vector<double> hash(const LayerConfig& config, const Weights& weights, const float* x);

// The code of one table from its hash values, and its score for any code.
uint32_t code(const double* z, int bits);
double score(const LayerConfig& config, const double* z, uint32_t code);

}  // namespace lffn::reference
