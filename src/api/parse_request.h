// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lookupffn/lookupffn.h"
#include "run/request.h"

namespace lffn {

// What the arguments ask for. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where they are wrong for any model.
Request parse_request(const lffn_model_run_args& args);

}  // namespace lffn
