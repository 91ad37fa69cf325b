// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lffn {

// As %lld takes it: int64_t is another type on some systems.
inline long long printable(int64_t value) { return value; }

}  // namespace lffn
