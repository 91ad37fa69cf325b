// SPDX-License-Identifier: Apache-2.0
// Kernels that pick bytes from a whole register or count its bits.
#include "kernels/gather/gather_picked.h"
#include "kernels/kernels.h"
#include "kernels/search/scan_bits.h"

namespace lffn {
namespace {

constexpr PickKernels pick_kernels() {
  PickKernels table = {};
  table.gather_picked = gather_picked;
  table.scan_bits = scan_bits;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr PickKernels kPickKernels = pick_kernels();
}

}  // namespace lffn
