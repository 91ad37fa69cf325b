// SPDX-License-Identifier: Apache-2.0
// What the kernels of a search are told. Rows are vectors that lie anywhere, one pointer each.
#pragma once

#include <cstdint>

namespace lffn {

// Rows with each query: float sums of products, int32 ones, or int32 counts of bits that differ.
struct ScanPlan {
  // Numbers of float32 or int8, padded with zeros to whole kPartialSums of floats, or whole kScanBytes of int8.
  // nullptr, with one query: each row with itself.
  const uint8_t* queries;
  int64_t query_stride;  // bytes
  int64_t num_queries;
  const uint8_t* const* rows;
  int64_t num_rows;
  int64_t size;    // numbers of a row; of bits, its bytes
  uint8_t last;    // of bits: which bits of the last byte count
  int64_t ahead;   // memory so many bytes behind each number that is read is prefetched; 0: none
  uint8_t* sums;   // 4 bytes each: [num_queries][stride], with room for whole kPanel of rows
  int64_t stride;  // from one query's to the next one's, in numbers
  // Of int8: nullptr, or receives each row's length, infinity where it is 0; room likewise. Found beside the first
  // query's sums, so that rows are read once.
  float* lengths;
};
constexpr int64_t kScanBytes = 64;
constexpr int64_t kAskedAhead = 8192;

// Rows of int8 with many queries, which lie in the lanes.
constexpr int64_t kQueryGroup = 32;
struct ManyPlan {
  const int32_t* queries;      // [groups][cells of 4 int8 or 2 int16, see hash_cell_inputs][kQueryGroup]
  const int32_t* corrections;  // [groups][kQueryGroup] what raising the rows' numbers adds to the sums
  int64_t num_queries;
  const uint8_t* const* rows;
  int64_t num_rows;
  int64_t size;
  int32_t* room;   // [kManyRows][many_cells(size)], may hold any numbers
  int32_t* sums;   // [num_rows][stride]
  int64_t stride;  // at least the queries, in whole groups
};
constexpr int64_t kManyRows = 12;
// Cells of a row or query, in whole vectors of any width: of 4 or of 2 numbers.
__attribute__((always_inline)) constexpr int64_t many_cells(int64_t size, int64_t cell_inputs) {
  return (size + 16 * cell_inputs - 1) / (16 * cell_inputs) * 16;
}

// From sums to scores, and which may be among the best.
struct SelectPlan {
  bool whole;     // the sums are int32
  bool quotient;  // sum / (outer * inner factor), from -1 to 1; else the product of all
  uint8_t* sums;  // [outer][stride], become float scores
  int64_t outer;
  int64_t inner;  // a multiple of kPanel
  int64_t stride;
  const float* outer_factors;     // [outer]
  const float* inner_factors;     // [inner]
  const float* outer_thresholds;  // [outer] or nullptr: a score below it is of no use; NaN: each is of use
  const float* inner_thresholds;  // [inner] where there are no outer ones
  int32_t* hits;                  // where groups of kPanel scores begin, some of which may be of use
};

}  // namespace lffn
