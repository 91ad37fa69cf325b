// SPDX-License-Identifier: Apache-2.0
// Sums of table rows, and the rows that words choose.
#include "kernels/gather/gather.h"

#include "kernels/gather/gather_int8.h"
#include "kernels/gather/gather_slabs.h"
#include "kernels/gather/word_rows.h"
#include "kernels/kernels.h"

namespace lffn {
namespace {

constexpr GatherKernels gather_kernels() {
  GatherKernels table = {};
  table.gather_f32 = gather_f32;
  table.gather_f32_many = gather_f32_many;
  table.gather_bf16 = gather_bf16;
  table.gather_int8_scores = gather_int8_scores;
  table.quantise_scores = quantise_scores;
  table.int8_position = int8_position;
  table.add_word_rows = add_word_rows;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr GatherKernels kGatherKernels = gather_kernels();
}

}  // namespace lffn
