// SPDX-License-Identifier: Apache-2.0
// Some queries of a call as the kernels want them.
#pragma once

#include <cstdint>

#include "kernels/search/search_plans.h"
#include "runtime/memory.h"
#include "search/top_k.h"

namespace lffn {

// From so many queries on they lie in the lanes.
constexpr int64_t kFewQueries = 8;

class QueryBlock {
 public:
  // With room for so many.
  QueryBlock(const Kernels& kernels, const TopK& call, int64_t most, bool may_be_many);

  void take(int64_t first, int64_t count);

  int64_t first() const { return first_; }
  int64_t count() const { return count_; }
  bool is_many() const { return is_many_; }
  const float* factors() const { return factors_.as<float>(); }  // by which sums are multiplied or divided
  // What the plans need of the queries from `query` of this block on; for many a multiple of kQueryGroup.
  void tell(int64_t query, ScanPlan& plan) const;
  void tell(int64_t query, ManyPlan& plan) const;

 private:
  void find_factors();
  void lay_lanes();

  const Kernels& kernels_;
  const TopK& call_;
  bool may_be_many_, is_many_ = false;
  int64_t bytes_, stride_, cells_;
  int64_t first_ = 0, count_ = 0;
  Memory numbers_, corrections_, factors_;
  Memory zeros_, sums_;  // a row of zeros and room for a product with it
};

// By which the products of each of these vectors with others are divided for their cosine: its length, or so much that
// zeros remain where that is 0. There must be room for whole kPanel of them.
void find_lengths(const Kernels& kernels, const TopK& call, const uint8_t* const* rows, int64_t count, int64_t ahead,
                  float* lengths);

}  // namespace lffn
