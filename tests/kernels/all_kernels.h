// SPDX-License-Identifier: Apache-2.0
// What the tests of single kernels share.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace lffn {

inline std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> found;
  for (const char* name : {"generic", "baseline", "avx2", "avxvnni", "avx512", "avx512vnni", "avx512vbmi", "neon",
                           "neondot", "neoni8mm"}) {
    if (const Kernels* kernels = find_kernels(name)) found.push_back(kernels);
  }
  return found;
}

inline std::vector<float> random_floats(int64_t count, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-scale, scale);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = draw(random);
  return values;
}

// Those that have give the same bits.
inline bool has_fma(const Kernels& kernels) {
  return std::string(kernels.name) != "generic" && std::string(kernels.name) != "baseline";
}

}  // namespace lffn
