// SPDX-License-Identifier: Apache-2.0
// What `lookupffn info` shows of a model.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

void print_model(const std::string& path, const lookupffn::Model& model, bool json);

// A line of a table.
void row(const char* name, const std::string& value);
// 1234567 as "1,234,567".
std::string number(int64_t value);

// What one of a model's layers is made of, for people and as JSON.
// "4 heads of 32; 256 neurons, a row of 30,522 by word (int8)"
std::string parts_text(const lffn_model_layer_info& layer);
nlohmann::ordered_json layer_parts(const lffn_model_layer_info& layer);

}  // namespace lffn::tools
