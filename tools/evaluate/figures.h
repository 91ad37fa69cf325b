// SPDX-License-Identifier: Apache-2.0
// Figures of how well a model does, and how sure they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lffn::tools {

// How often each case counts: once, or as often as a resample drew it.
using Counts = std::vector<uint32_t>;

// A figure of all cases; NaN if it is undefined, such as the correlation of scores that are all the same.
struct Figure {
  std::string name;
  size_t cases;
  std::function<double(const Counts&)> value;
};

// The correlation of two lists of numbers, and that of their ranks. Equal numbers all get the mean of their ranks.
Figure pearson_figure(std::vector<double> x, std::vector<double> y);
Figure spearman_figure(const std::vector<double>& x, const std::vector<double>& y);
Figure mean_figure(const std::string& name, std::vector<double> values);
// Both must be figures of the same cases.
Figure difference_figure(const Figure& a, const Figure& b);

// For one query's candidates in the order of their scores: the mean precision at each right one, and one over the place
// of the first right one. Candidates with equal scores count as if in random order: the mean of all orders.
struct RankFigures {
  double average_precision, reciprocal_rank;
};
RankFigures rank_figures(const std::vector<double>& scores, const std::vector<uint8_t>& right);

struct Estimate {
  double value;
  double low, high;  // where 95 % of the resamples' figures lie; NaN if that cannot be told
};

// Draws `resamples` times as many cases as there are, with replacement. All figures of the same number of cases get the
// same draws.
Estimate estimate(const Figure& figure, size_t resamples, int32_t num_threads);

}  // namespace lffn::tools
