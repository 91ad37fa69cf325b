// SPDX-License-Identifier: Apache-2.0
// Products of float32, bf16 and int8, and what is done with their rows.
#include "kernels/linear/linear.h"

#include "kernels/gather/words.h"
#include "kernels/kernels.h"
#include "kernels/linear/gate.h"
#include "kernels/linear/linear_int8.h"
#include "kernels/linear/panels.h"
#include "kernels/search/many.h"

namespace lffn {
namespace {

#if !defined(LFFN_INT8_ONLY)
constexpr LinearKernels linear_kernels() {
  LinearKernels table = {};
  table.linear = linear;
  table.lay_panels = lay_panels;
  table.widen = widen;
  table.normalise = normalise;
  table.gate = gate;
  return table;
}
#endif

constexpr LinearInt8Kernels linear_int8_kernels() {
  LinearInt8Kernels table = {};
  table.linear_int8 = linear_int8;
  table.quantise_rows = quantise_rows;
  table.score_words = score_words;
  table.multiply_many = multiply_many;
  return table;
}

}  // namespace

namespace LFFN_SET {
#if !defined(LFFN_INT8_ONLY)
extern constexpr LinearKernels kLinearKernels = linear_kernels();
#endif
extern constexpr LinearInt8Kernels kLinearInt8Kernels = linear_int8_kernels();
}  // namespace LFFN_SET

}  // namespace lffn
