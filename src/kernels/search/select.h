// SPDX-License-Identifier: Apache-2.0
// From sums to scores, in one order of roundings, and which of them a search has to look at.
#pragma once

#include "kernels/kernels.h"
#include "kernels/search/search_plans.h"
#include "kernels/simd/simd.h"
#include "kernels/simd/unroll.h"

namespace lffn {
namespace {

// Returns how many hits there are.
inline int64_t select_scores(const SelectPlan& plan) {
  const F32 one = F32::set1(1), minus_one = F32::set1(-1);
  int64_t hits = 0;
  for (int64_t o = 0; o < plan.outer; ++o) {
    const F32 outer = F32::set1(plan.outer_factors[o]);
    const bool is_outer = plan.outer_thresholds != nullptr;
    const F32 outer_threshold = F32::set1(is_outer ? plan.outer_thresholds[o] : 0);
    float* const row = reinterpret_cast<float*>(plan.sums) + o * plan.stride;
    for (int64_t i = 0; i < plan.inner; i += kPanel) {
      I32 below = I32::set1(-1);
      unroll<static_cast<int>(kPanel / kLanes)>([&](auto v) LFFN_INLINE {
        const int64_t at = i + v * kLanes;
        const F32 sum =
            plan.whole ? to_float(I32::load(reinterpret_cast<const int32_t*>(row + at))) : F32::load(row + at);
        const F32 factor = outer * F32::load(plan.inner_factors + at);
        F32 score = sum * factor;
        if (plan.quotient) score = max(minus_one, min(one, sum / factor));  // a NaN stays
        score.store(row + at);
        const F32 threshold = is_outer ? outer_threshold : F32::load(plan.inner_thresholds + at);
        below = below & positive(threshold - score);
      });
      plan.hits[hits] = static_cast<int32_t>(o * plan.stride + i);
      hits += any_bit(below ^ I32::set1(-1)) ? 1 : 0;
    }
  }
  return hits;
}

}  // namespace
}  // namespace lffn
