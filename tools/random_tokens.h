// SPDX-License-Identifier: Apache-2.0
// Standard normal numbers, as a layer sees them after a layer norm.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace lffn::tools {

inline std::vector<float> normal_numbers(int64_t count, float deviation, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal(0.0f, deviation);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = normal(generator);
  return numbers;
}

}  // namespace lffn::tools
