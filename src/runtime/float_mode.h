// SPDX-License-Identifier: Apache-2.0
// How the calling thread does float arithmetic, set for a scope: rounding to nearest, no traps, and denormal numbers as
// they are or as zero. A host may have other settings, and results must not depend on them.
#pragma once

#include <cstdint>

namespace lffn {

class FloatMode {
 public:
  explicit FloatMode(bool flush_denormals = false);
  ~FloatMode();
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  uint64_t saved_;
  bool changed_;
};

}  // namespace lffn
