// SPDX-License-Identifier: Apache-2.0
// Some queries of a call as the kernels want them.
#pragma once

#include <cstdint>

#include "kernels/search/search_plans.h"
#include "runtime/memory.h"
#include "search/top_k.h"

namespace lffn {

// This many queries or more lie in the lanes.
constexpr int64_t kFewQueries = 8;

class QueryBlock {
 public:
  // With room for `most` queries.
  QueryBlock(const Kernels& kernels, const TopK& call, int64_t most, bool may_be_many);

  void take(int64_t first, int64_t count);

  int64_t first() const { return first_; }
  int64_t count() const { return count_; }
  bool is_many() const { return is_many_; }
  const float* factors() const { return factors_.as<float>(); }  // by which sums are multiplied or divided
  // Tells a plan what it needs of the queries from `query` of this block on. For a ManyPlan `query` is a multiple of
  // kQueryGroup.
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

// The divisors that turn the products of each of these vectors with others into cosines: the vector's length, or
// infinity where that is 0, so that the cosines are 0. `lengths` must have room for whole kPanel of them.
void find_lengths(const Kernels& kernels, const TopK& call, const uint8_t* const* rows, int64_t count, int64_t ahead,
                  float* lengths);

}  // namespace lffn
