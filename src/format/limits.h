// SPDX-License-Identifier: Apache-2.0
// What files may ask for.
#pragma once

#include <cstdint>

namespace lffn {

constexpr int32_t kMaxSize = 1 << 20;  // of a vector, and the number of tables

}  // namespace lffn
