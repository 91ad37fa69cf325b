// SPDX-License-Identifier: Apache-2.0
// The arithmetic of training, beside that of kernels.h. Tokens are rows here, their features side by side: the sums
// over tokens that gradients are made of need no transposing then. Rows of matrices that `product` multiplies are
// padded to whole panels of kPanel columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernels.h"

namespace lffn {

// c[rows][columns] = or += a[rows][depth] * b[depth][columns], where a(m, k) = a[m * a_row + k * a_step] and
// b(k, n) = b[n / kPanel * b_panel + k * b_row + n % kPanel]. columns is a multiple of kPanel.
struct TrainProduct {
  const float* a;
  int64_t a_row, a_step;
  const float* b;
  int64_t b_row, b_panel;
  float* c;
  int64_t c_row;
  int64_t rows, columns, depth;
  bool add;
};

// One table's part in a slab of columns, and the tokens that use it, sorted by code.
constexpr int32_t kTrainColumns = 64;
struct TrainRows {
  const float* rows;
  int64_t row_stride;
  int32_t table_size;
  int32_t columns;  // at most kTrainColumns
  const uint32_t* tokens;
  const uint16_t* codes;
  const float* scores;
  int64_t count;
};

struct TrainKernels {
  void (*product)(const TrainProduct& product);
  // Multiplies by H over the index of the blocks of `length` floats, in place.
  void (*transform)(float* y, int64_t blocks, int64_t length);
  // u = layer norm of x; stats receives the mean and the reciprocal of the deviation.
  void (*normalise)(const float* x, int64_t size, float eps, const float* gain, const float* shift, float* u,
                    float* stats);
  // dx from du; adds to gain_grads and shift_grads. dx may be NULL.
  void (*normalise_backward)(const float* x, int64_t size, const float* stats, const float* gain, const float* du,
                             float* dx, float* gain_grads, float* shift_grads);
  // One token's codes and scores, those of a table `stride` numbers after those of the table before. scratch: as many
  // floats as z, in whole panels.
  void (*score)(const float* z, int32_t num_tables, int32_t code_bits, bool sigmoid, uint16_t* codes, float* scores,
                int64_t stride, float* scratch);
  // dz from the gradients of the scores.
  void (*score_backward)(const float* z, int32_t num_tables, int32_t code_bits, bool sigmoid, const float* score_grads,
                         int64_t stride, float* dz, float* scratch);
  // sums[token][kTrainColumns] += score * row.
  void (*add_rows)(const TrainRows& rows, float* sums);
  // Writes, or adds to, the gradients of all rows, and of the scores in the tokens' sorted order.
  // grads: [token][kTrainColumns].
  void (*rows_backward)(const TrainRows& rows, const float* grads, float* row_grads, bool add_rows, float* score_grads,
                        bool add_scores);
};

}  // namespace lffn
