// SPDX-License-Identifier: Apache-2.0
// What the library gave beside the reference, within bounds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "library.h"
#include "reference.h"

namespace draws {

// The largest difference of each output so far, in the units of its bound.
using Differences = std::map<std::string, double>;

// What was found wrong with one sequence's outputs; "" if nothing.
std::string compare(const DrawnModel& model, const Request& request, Weights weights, size_t sequence,
                    const Output& output, Differences& differences);

// The bound of an output. Unless it says otherwise, the largest difference over the root of the mean square of what is
// expected.
double bound_of(const std::string& name);

}  // namespace draws
