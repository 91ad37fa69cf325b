// SPDX-License-Identifier: Apache-2.0
// What a config says of rotary positions: by which angle a position turns each pair of a head's numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "format/json_object.h"
#include "model/families/family.h"

namespace lffn {

struct RotaryConfig {
  enum class Scaling { kNone, kLinear, kLlama3, kNtk };
  float theta = 10000;
  Scaling scaling = Scaling::kNone;
  float factor = 1;
  // kLlama3: high frequencies stay as they are, low ones are divided by the factor.
  float low_frequency = 1, high_frequency = 4, original_positions = 8192;
  float mixed_b = 0;  // kNtk: how the slowing grows from pair to pair; 0: theta is scaled instead

  bool operator==(const RotaryConfig& other) const;
};

// For global or for local layers. Throws as parse_model_config does.
RotaryConfig read_rotary(const JsonObject& object, const Family& family, bool local);

// Throws Error(LFFN_ERROR_UNSUPPORTED) for any key that changes rotary positions in an unsupported way.
void refuse_other_rotations(const JsonObject& object);

// The angle of each pair of numbers from one position to the next, rounded as the models' own code does: [head_size /
// 2].
std::vector<float> rotary_frequencies(const RotaryConfig& config, int64_t head_size);

}  // namespace lffn
