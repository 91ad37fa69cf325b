// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"
#include "kernels/train/train_kernels.h"

namespace lffn {

// The training kernels of the same instruction set, or of the one that this set adds to.
const TrainKernels& train_kernels_of(const Kernels& kernels);

}  // namespace lffn
