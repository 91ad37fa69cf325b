// SPDX-License-Identifier: Apache-2.0
#include "evaluate/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "evaluate/product.h"

namespace lffn::tools {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double correlation(const std::vector<double>& x, const std::vector<double>& y, const Counts& counts) {
  double all = 0, x_sum = 0, y_sum = 0;
  double x_least = INFINITY, x_most = -INFINITY, y_least = INFINITY, y_most = -INFINITY;
  for (size_t i = 0; i < x.size(); ++i) {
    if (counts[i] == 0) continue;
    all += counts[i];
    x_sum += counts[i] * x[i];
    y_sum += counts[i] * y[i];
    x_least = std::min(x_least, x[i]);
    x_most = std::max(x_most, x[i]);
    y_least = std::min(y_least, y[i]);
    y_most = std::max(y_most, y[i]);
  }
  if (!(x_least < x_most) || !(y_least < y_most)) return kNone;  // all are equal: rounding would still give some number
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - x_sum / all, dy = y[i] - y_sum / all;
    xx += counts[i] * dx * dx;
    yy += counts[i] * dy * dy;
    xy += counts[i] * dx * dy;
  }
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

// The ranks of numbers, for any counts, in one pass.
class Ranks {
 public:
  explicit Ranks(const std::vector<double>& numbers) : order_(numbers.size()), ends_group_(numbers.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return numbers[a] < numbers[b]; });
    for (size_t i = 0; i < order_.size(); ++i) {
      ends_group_[i] = i + 1 == order_.size() || numbers[order_[i]] != numbers[order_[i + 1]] ? 1 : 0;
    }
  }

  std::vector<double> of(const Counts& counts) const {
    std::vector<double> ranks(order_.size());
    double before = 0, group = 0;
    for (size_t begin = 0, i = 0; i < order_.size(); ++i) {
      group += counts[order_[i]];
      if (ends_group_[i] == 0) continue;
      for (; begin <= i; ++begin) ranks[order_[begin]] = before + (group + 1) / 2;
      before += group;
      group = 0;
    }
    return ranks;
  }

 private:
  std::vector<size_t> order_;
  std::vector<uint8_t> ends_group_;
};

// Gives the same numbers everywhere: the standard fixes the generators but not the distributions, so none is used.
Counts draw(size_t cases, size_t resample) {
  std::mt19937_64 generator(resample + 1);
  Counts counts(cases);
  const uint64_t limit = std::numeric_limits<uint64_t>::max() / cases * cases;
  for (size_t i = 0; i < cases; ++i) {
    uint64_t number = generator();
    while (number >= limit) number = generator();
    ++counts[number % cases];
  }
  return counts;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  if (below + 1 == sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

}  // namespace

Figure pearson_figure(std::vector<double> x, std::vector<double> y) {
  const size_t cases = x.size();
  return {"Pearson", cases,
          [x = std::move(x), y = std::move(y)](const Counts& counts) { return correlation(x, y, counts); }};
}

Figure spearman_figure(const std::vector<double>& x, const std::vector<double>& y) {
  return {"Spearman", x.size(), [x_ranks = Ranks(x), y_ranks = Ranks(y)](const Counts& counts) {
            return correlation(x_ranks.of(counts), y_ranks.of(counts), counts);
          }};
}

Figure mean_figure(const std::string& name, std::vector<double> values) {
  const size_t cases = values.size();
  return {name, cases, [values = std::move(values)](const Counts& counts) {
            double sum = 0, all = 0;
            for (size_t i = 0; i < values.size(); ++i) {
              sum += counts[i] * values[i];
              all += counts[i];
            }
            return sum / all;
          }};
}

Figure difference_figure(const Figure& a, const Figure& b) {
  return {a.name, a.cases, [a = a.value, b = b.value](const Counts& counts) { return a(counts) - b(counts); }};
}

RankFigures rank_figures(const std::vector<double>& scores, const std::vector<uint8_t>& right) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  RankFigures result = {0, 0};
  double before = 0, rights_before = 0;  // in the groups of equal scores before this one
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    double rights = 0;
    while (end < order.size() && scores[order[end]] == scores[order[begin]]) rights += right[order[end++]];
    const auto size = static_cast<double>(end - begin);
    if (rights > 0 && rights_before == 0) {
      double none_yet = 1;  // the chance that no right one was among the group's places so far
      for (double k = 0; k <= size - rights; ++k) {
        result.reciprocal_rank += none_yet * (rights / (size - k)) / (before + k + 1);
        none_yet *= 1 - rights / (size - k);
      }
    }
    for (double k = 0; k < size; ++k) {
      const double rights_here =
          size > 1 ? k * (rights - 1) / (size - 1) : 0;  // before place k, if a right one is there
      result.average_precision += rights / size * (rights_before + rights_here + 1) / (before + k + 1);
    }
    before += size;
    rights_before += rights;
    begin = end;
  }
  result.average_precision /= rights_before;
  return result;
}

Estimate estimate(const Figure& figure, size_t resamples, int32_t num_threads) {
  Estimate result = {figure.value(Counts(figure.cases, 1)), kNone, kNone};
  if (resamples == 0 || std::isnan(result.value)) return result;
  std::vector<double> found(resamples);
  parallel_for(resamples, num_threads, [&](size_t i) { found[i] = figure.value(draw(figure.cases, i)); });
  found.erase(std::remove_if(found.begin(), found.end(), [](double value) { return std::isnan(value); }), found.end());
  if (2 * found.size() < resamples) return result;
  std::sort(found.begin(), found.end());
  result.low = quantile(found, 0.025);
  result.high = quantile(found, 0.975);
  return result;
}

}  // namespace lffn::tools
