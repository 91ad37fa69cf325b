// SPDX-License-Identifier: Apache-2.0
// The flag with which a caller ends its call from another thread.
#pragma once

#include "runtime/error.h"

namespace lffn {

// Throws Error(LFFN_ERROR_CANCELLED) if the flag is set. NULL: there is none.
inline void poll(const int32_t* cancel) {
  if (cancel != nullptr && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0) {
    fail(LFFN_ERROR_CANCELLED, "cancelled by the caller's flag");
  }
}

}  // namespace lffn
