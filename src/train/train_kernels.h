// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/train/train_kernels.h"

namespace lffn {

// Of the instruction set in use, or of the one that it adds to. Throws Error as usable_kernels().
const TrainKernels& train_kernels();

}  // namespace lffn
