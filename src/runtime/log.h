// SPDX-License-Identifier: Apache-2.0
// Messages for the host's log, see lffn_set_log_callback and lffn_runtime_options.
#pragma once

#include "lookupffn/lookupffn.h"

namespace lffn {

void set_log_callback(lffn_log_callback callback, void* user);

// Formats as printf does. Does nothing unless a callback is set.
void log(int32_t level, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace lffn
