// SPDX-License-Identifier: Apache-2.0
// What `lookupffn bench --costs` does.
#pragma once

#include <cstdint>
#include <vector>

namespace lffn::tools {

// Prints as JSON what a neuron, a head, a table, a linear map and a row by word cost a token on this machine, in
// several sizes, element types and shapes of calls. Each figure is measured for about so many seconds.
int bench_costs(const std::vector<int32_t>& hidden_sizes, double seconds);

}  // namespace lffn::tools
