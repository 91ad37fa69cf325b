// SPDX-License-Identifier: Apache-2.0
// What one of a model's layers is made of, for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

// "4 heads of 32; 256 neurons, a row of 30,522 by word (int8)"
std::string parts_text(const lffn_model_layer_info& layer);
nlohmann::ordered_json layer_parts(const lffn_model_layer_info& layer);

}  // namespace lffn::tools
