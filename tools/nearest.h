// SPDX-License-Identifier: Apache-2.0
// Finds the name that a misspelt one was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lffn::tools {

// How many letters must be added, left out, replaced or swapped with their neighbour to make one of the other.
size_t edits_between(std::string_view a, std::string_view b);

// The name that needs the fewest edits, or that begins with the given one; "" if none is near.
std::string nearest_name(const std::vector<std::string>& names, std::string_view given);

}  // namespace lffn::tools
