// SPDX-License-Identifier: Apache-2.0
// All heads that a model may have.
#pragma once

#include "model/encoder/head.h"

namespace lffn {

extern const HeadTable kHeads;

}  // namespace lffn
