// SPDX-License-Identifier: Apache-2.0
// The kernels of an instruction set that picks bytes from a whole register and counts its bits, beside another's.
// Compiled with its flags and LFFN_TABLE.
#include "kernels/gather/gather_picked.h"
#include "kernels/kernels.h"
#include "kernels/search/scan_bits.h"

namespace lffn {

const PickKernels LFFN_TABLE = {gather_picked, scan_bits};

}  // namespace lffn
