// SPDX-License-Identifier: Apache-2.0
// What `lookupffn info` tells of a model.
#pragma once

#include <cstdint>
#include <string>

#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

void print_model(const std::string& path, const lookupffn::Model& model, bool json);

// A line of a table.
void row(const char* name, const std::string& value);
// 1234567 as "1,234,567".
std::string number(int64_t value);

}  // namespace lffn::tools
