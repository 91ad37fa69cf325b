// SPDX-License-Identifier: Apache-2.0
// The kernels of an instruction set that picks bytes from a whole register, beside another's. Compiled with its flags
// and LFFN_TABLE.
#include "kernels/gather/gather_picked.h"
#include "kernels/kernels.h"

namespace lffn {

const PickKernels LFFN_TABLE = {gather_picked};

}  // namespace lffn
