// SPDX-License-Identifier: Apache-2.0
// Sums of table rows and their gradients, one table at a time, its tokens sorted by code, so that a row is fetched
// once.
#pragma once

#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"
#include "kernels/train/train_kernels.h"

namespace lffn {
namespace {

// The processor predicts neither the order of the tokens nor the way from row to row, so what comes next is prefetched.
constexpr int64_t kPrefetchTokens = 8;
constexpr int64_t kPrefetchEntries = 32;  // for the rows when summing: some of these entries share a row
constexpr int64_t kPrefetchRows = 4;

template <bool kWrite = false>
inline void prefetch_columns(const float* row, int32_t columns) {
  for (int32_t c = 0; c < columns; c += 16) __builtin_prefetch(row + c, kWrite);
}

// The entry that is `distance` entries after entry i, or the last one.
inline int64_t entry_ahead(const TrainRows& rows, int64_t i, int64_t distance) {
  return i + distance < rows.count ? i + distance : rows.count - 1;
}

// The end of the run of tokens with the code of token `first`.
inline int64_t run_end(const TrainRows& rows, int64_t first) {
  const uint16_t code = rows.codes[first];
  int64_t end = first + 1;
  while (end < rows.count && rows.codes[end] == code) ++end;
  return end;
}

// Without a loop over the tokens of a row: where that ends cannot be predicted.
template <int kVectors>
void add_rows_of(const TrainRows& rows, float* sums) {
  for (int64_t i = 0; i < rows.count; ++i) {
    const int64_t next = entry_ahead(rows, i, kPrefetchTokens), later = entry_ahead(rows, i, kPrefetchEntries);
    prefetch_columns(sums + int64_t{rows.tokens[next]} * kTrainColumns, kVectors * kLanes);
    prefetch_columns(rows.rows + rows.codes[later] * rows.row_stride, kVectors * kLanes);
    const float* row = rows.rows + rows.codes[i] * rows.row_stride;
    float* sum = sums + int64_t{rows.tokens[i]} * kTrainColumns;
    const F32 score = F32::set1(rows.scores[i]);
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      fma(score, F32::load(row + v * kLanes), F32::load(sum + v * kLanes)).store(sum + v * kLanes);
    });
  }
}

// Any number of columns.
void add_rows_narrow(const TrainRows& rows, float* sums) {
  for (int64_t i = 0; i < rows.count; ++i) {
    const float* row = rows.rows + rows.codes[i] * rows.row_stride;
    float* sum = sums + int64_t{rows.tokens[i]} * kTrainColumns;
    for (int32_t c = 0; c < rows.columns; ++c) sum[c] += rows.scores[i] * row[c];
  }
}

inline float lane_sum(F32 value) {
  float lanes[kLanes];
  value.store(lanes);
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

inline void clear_rows(const TrainRows& rows, float* row_grads, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    float* out = row_grads + row * rows.row_stride;
    for (int32_t c = 0; c < rows.columns; ++c) out[c] = 0;
  }
}

template <int kVectors>
inline void run_backward(const TrainRows& rows, int64_t first, int64_t end, const float* grads, float* row_grad,
                         bool add_rows, float* score_grads, bool add_scores) {
  const float* row = rows.rows + rows.codes[first] * rows.row_stride;
  F32 sums[kVectors];
  unroll<kVectors>([&](auto v) LFFN_INLINE { sums[v] = add_rows ? F32::load(row_grad + v * kLanes) : F32::set1(0); });
  for (int64_t i = first; i < end; ++i) {
    const int64_t next = entry_ahead(rows, i, kPrefetchTokens);
    prefetch_columns(grads + int64_t{rows.tokens[next]} * kTrainColumns, kVectors * kLanes);
    const float* grad = grads + int64_t{rows.tokens[i]} * kTrainColumns;
    const F32 score = F32::set1(rows.scores[i]);
    F32 dots[2] = {F32::set1(0), F32::set1(0)};
    unroll<kVectors>([&](auto v) LFFN_INLINE {
      const F32 values = F32::load(grad + v * kLanes);
      sums[v] = fma(score, values, sums[v]);
      dots[v % 2] = fma(F32::load(row + v * kLanes), values, dots[v % 2]);
    });
    const float dot = lane_sum(dots[0] + dots[1]);
    score_grads[i] = add_scores ? score_grads[i] + dot : dot;
  }
  unroll<kVectors>([&](auto v) LFFN_INLINE { sums[v].store(row_grad + v * kLanes); });
}

// Any number of columns.
inline void run_backward_narrow(const TrainRows& rows, int64_t first, int64_t end, const float* grads, float* row_grad,
                                bool add_rows, float* score_grads, bool add_scores) {
  const float* row = rows.rows + rows.codes[first] * rows.row_stride;
  if (!add_rows) {
    for (int32_t c = 0; c < rows.columns; ++c) row_grad[c] = 0;
  }
  for (int64_t i = first; i < end; ++i) {
    const float* grad = grads + int64_t{rows.tokens[i]} * kTrainColumns;
    float dot = 0;
    for (int32_t c = 0; c < rows.columns; ++c) {
      row_grad[c] += rows.scores[i] * grad[c];
      dot += row[c] * grad[c];
    }
    score_grads[i] = add_scores ? score_grads[i] + dot : dot;
  }
}

template <typename RunBackward>
inline void rows_backward_with(const TrainRows& rows, float* row_grads, bool add_rows, RunBackward&& run) {
  int64_t next_row = 0;
  for (int64_t first = 0; first < rows.count;) {
    const int64_t end = run_end(rows, first);
    const int64_t code = rows.codes[first];
    if (!add_rows) clear_rows(rows, row_grads, next_row, code);
    if (code + kPrefetchRows < rows.table_size) {
      const int64_t offset = (code + kPrefetchRows) * rows.row_stride;
      prefetch_columns(rows.rows + offset, rows.columns);
      prefetch_columns<true>(row_grads + offset, rows.columns);
    }
    run(first, end, row_grads + code * rows.row_stride);
    next_row = code + 1;
    first = end;
  }
  if (!add_rows) clear_rows(rows, row_grads, next_row, rows.table_size);
}

void train_add_rows(const TrainRows& rows, float* sums) {
  switch (rows.columns) {
    case 64:
      return add_rows_of<64 / kLanes>(rows, sums);
    case 48:
      return add_rows_of<48 / kLanes>(rows, sums);
    case 32:
      return add_rows_of<32 / kLanes>(rows, sums);
    case 16:
      return add_rows_of<16 / kLanes>(rows, sums);
    default:
      return add_rows_narrow(rows, sums);
  }
}

void train_rows_backward(const TrainRows& rows, const float* grads, float* row_grads, bool add_rows, float* score_grads,
                         bool add_scores) {
  const auto with = [&](auto run) {
    rows_backward_with(rows, row_grads, add_rows, [&](int64_t first, int64_t end, float* row_grad) {
      run(rows, first, end, grads, row_grad, add_rows, score_grads, add_scores);
    });
  };
  switch (rows.columns) {
    case 64:
      return with(run_backward<64 / kLanes>);
    case 48:
      return with(run_backward<48 / kLanes>);
    case 32:
      return with(run_backward<32 / kLanes>);
    case 16:
      return with(run_backward<16 / kLanes>);
    default:
      return with(run_backward_narrow);
  }
}

}  // namespace
}  // namespace lffn
