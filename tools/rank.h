// SPDX-License-Identifier: Apache-2.0
// The order of scores: the best first, by index among equals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace lffn::tools {

inline std::vector<size_t> best_first(const std::vector<float>& scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // A NaN is worse than any number: an order that is none could not be sorted by.
  const auto value = [&](size_t i) {
    return scores[i] == scores[i] ? scores[i] : -std::numeric_limits<float>::infinity();
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return value(a) > value(b); });
  return order;
}

}  // namespace lffn::tools
