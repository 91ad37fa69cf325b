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
  // kLlama3: what turns often keeps its frequency, what turns seldom is slowed down by the factor.
  float low_frequency = 1, high_frequency = 4, original_positions = 8192;
  float mixed_b = 0;  // kNtk: how the slowing grows from pair to pair; 0: all at once, through theta

  bool operator==(const RotaryConfig& other) const;
};

// Of global layers or of local ones. Throws as parse_model_config does.
RotaryConfig read_rotary(const JsonObject& object, const Family& family, bool local);

// What a config may have that changes rotary positions and is not supported: throws Error(LFFN_ERROR_UNSUPPORTED).
void refuse_other_rotations(const JsonObject& object);

// The angle of each pair of numbers from one position to the next, rounded as the models' own code does: [head_size /
// 2].
std::vector<float> rotary_frequencies(const RotaryConfig& config, int64_t head_size);

}  // namespace lffn
