// SPDX-License-Identifier: Apache-2.0
// The kernels of an instruction set that multiplies bytes better than another and adds nothing else. Compiled with its
// flags and LFFN_TABLE.
#include "kernels/integer_kernels.h"

namespace lffn {

const IntegerKernels LFFN_TABLE = kIntegerKernels;

}  // namespace lffn
