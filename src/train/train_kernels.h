// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.h"
#include "kernels/train/train_kernels.h"

namespace lffn {

// Of the same instruction set, or of the one that it adds to.
const TrainKernels& train_kernels_of(const Kernels& kernels);

}  // namespace lffn
