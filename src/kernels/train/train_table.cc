// SPDX-License-Identifier: Apache-2.0
// The training kernels for one instruction set. Compiled once for each, with its flags and LFFN_TABLE.
#include "kernels/train/train_kernels.h"
#include "kernels/train/train_product.h"
#include "kernels/train/train_rows.h"
#include "kernels/train/train_tables.h"

namespace lffn {
namespace {

// By name, as integer_kernels().
constexpr TrainKernels all_train_kernels() {
  TrainKernels table = {};
  table.product = train_product;
  table.transform = butterflies;
  table.normalise = train_normalise;
  table.normalise_backward = train_normalise_backward;
  table.score = train_score;
  table.score_backward = train_score_backward;
  table.add_rows = train_add_rows;
  table.rows_backward = train_rows_backward;
  return table;
}

}  // namespace

constexpr TrainKernels LFFN_TABLE = all_train_kernels();

}  // namespace lffn
