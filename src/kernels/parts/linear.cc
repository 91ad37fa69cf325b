// SPDX-License-Identifier: Apache-2.0
// Products of float32 and bf16, and what is done with their rows.
#include "kernels/linear/linear.h"

#include "kernels/kernels.h"
#include "kernels/linear/gate.h"
#include "kernels/linear/panels.h"

namespace lffn {
namespace {

constexpr LinearKernels linear_kernels() {
  LinearKernels table = {};
  table.linear = linear;
  table.lay_panels = lay_panels;
  table.widen = widen;
  table.normalise = normalise;
  table.gate = gate;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr LinearKernels kLinearKernels = linear_kernels();
}

}  // namespace lffn
