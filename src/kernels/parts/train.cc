// SPDX-License-Identifier: Apache-2.0
// Gradients, and what they need from the forward pass.
#include "kernels/train/train_kernels.h"
#include "kernels/train/train_product.h"
#include "kernels/train/train_rows.h"
#include "kernels/train/train_tables.h"

namespace lffn {
namespace {

constexpr TrainKernels train_kernels() {
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

namespace LFFN_SET {
extern constexpr TrainKernels kTrainKernels = train_kernels();
}

}  // namespace lffn
