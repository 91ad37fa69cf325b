// SPDX-License-Identifier: Apache-2.0
#include "evaluate/logistic.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "evaluate/product.h"

namespace lffn::tools {
namespace {

constexpr size_t kBlock = 240;  // vectors whose sums are floats; blocks add up in doubles. A multiple of all tiles
constexpr size_t kMemory = 10;  // steps that L-BFGS remembers
constexpr int32_t kMostSteps = 1000;
constexpr double kTolerance = 3e-6;

using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

size_t blocks_of(size_t count) { return (count + kBlock - 1) / kBlock; }

// scores[vectors][panels of classes] of one block, biases added.
void block_scores(const Vectors& x, size_t first, size_t rows, const Panels& weights, const Numbers& point,
                  size_t classes, float* scores) {
  const size_t stride = weights.count() * kPanelWidth;
  for (size_t p = 0; p < weights.count(); ++p) {
    panel_product(x[first], {x.width, 1}, rows, weights.panel(p), x.width, scores + p * kPanelWidth, stride);
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < classes; ++c) {
      scores[r * stride + c] += static_cast<float>(point[c * (x.width + 1) + x.width]);
    }
  }
}

Panels weight_panels(const Numbers& point, size_t width, size_t classes) {
  Panels panels(width, classes);
  for (size_t c = 0; c < classes; ++c) {
    for (size_t k = 0; k < width; ++k) panels.at(k, c) = static_cast<float>(point[c * (width + 1) + k]);
  }
  return panels;
}

class Problem {
 public:
  Problem(const Vectors& x, const std::vector<int32_t>& right, size_t classes, double strength, int32_t num_threads)
      : x_(x),
        right_(right),
        classes_(classes),
        shrink_(1 / (strength * static_cast<double>(x.count()))),
        num_threads_(num_threads),
        columns_(x.count(), x.width),
        stride_((classes + kPanelWidth - 1) / kPanelWidth * kPanelWidth),
        errors_(x.count() * stride_),
        losses_(x.count()) {
    for (size_t i = 0; i < x.count(); ++i) {
      for (size_t k = 0; k < x.width; ++k) columns_.at(i, k) = x[i][k];
    }
  }

  size_t size() const { return classes_ * (x_.width + 1); }

  // The value at a point, and its gradient.
  double look(const Numbers& point, Numbers& gradient) {
    find_errors(point);
    find_gradient(gradient);
    double loss = 0;
    for (const double one : losses_) loss += one;
    loss /= static_cast<double>(x_.count());
    for (size_t i = 0; i < point.size(); ++i) {
      if (i % (x_.width + 1) == x_.width) continue;
      loss += 0.5 * shrink_ * point[i] * point[i];
      gradient[i] += shrink_ * point[i];
    }
    return loss;
  }

 private:
  // Finds each vector's loss, and its probabilities minus one for the right class.
  void find_errors(const Numbers& point) {
    const Panels weights = weight_panels(point, x_.width, classes_);
    parallel_for(blocks_of(x_.count()), num_threads_, [&](size_t block) {
      const size_t first = block * kBlock, rows = std::min(kBlock, x_.count() - first);
      float* const errors = errors_.data() + first * stride_;
      block_scores(x_, first, rows, weights, point, classes_, errors);
      Numbers shares(classes_);
      for (size_t r = 0; r < rows; ++r) {
        float* const row = errors + r * stride_;
        const double largest = *std::max_element(row, row + classes_);
        const auto right = static_cast<size_t>(right_[first + r]);
        double sum = 0;
        for (size_t c = 0; c < classes_; ++c) sum += shares[c] = std::exp(row[c] - largest);
        losses_[first + r] = std::log(sum) + largest - row[right];
        for (size_t c = 0; c < classes_; ++c) row[c] = static_cast<float>(shares[c] / sum - (c == right ? 1.0 : 0.0));
      }
    });
  }

  // Each item has some columns of all classes, and goes through the vectors in their order.
  void find_gradient(Numbers& gradient) {
    const double scale = 1 / static_cast<double>(x_.count());
    parallel_for(columns_.count() + 1, num_threads_, [&](size_t item) {
      if (item == columns_.count()) return find_bias_gradient(gradient);
      std::vector<float> part(classes_ * kPanelWidth);
      Numbers sums(part.size());
      for (size_t first = 0; first < x_.count(); first += kBlock) {
        const size_t rows = std::min(kBlock, x_.count() - first);
        panel_product(errors_.data() + first * stride_, {1, stride_}, classes_,
                      columns_.panel(item) + first * kPanelWidth, rows, part.data(), kPanelWidth);
        for (size_t i = 0; i < part.size(); ++i) sums[i] += part[i];
      }
      const size_t begin = item * kPanelWidth, end = std::min(begin + kPanelWidth, x_.width);
      for (size_t c = 0; c < classes_; ++c) {
        for (size_t k = begin; k < end; ++k) {
          gradient[c * (x_.width + 1) + k] = scale * sums[c * kPanelWidth + k - begin];
        }
      }
    });
  }

  void find_bias_gradient(Numbers& gradient) {
    Numbers sums(classes_);
    for (size_t i = 0; i < x_.count(); ++i) {
      for (size_t c = 0; c < classes_; ++c) sums[c] += errors_[i * stride_ + c];
    }
    for (size_t c = 0; c < classes_; ++c) {
      gradient[c * (x_.width + 1) + x_.width] = sums[c] / static_cast<double>(x_.count());
    }
  }

  const Vectors& x_;
  const std::vector<int32_t>& right_;
  const size_t classes_;
  const double shrink_;
  const int32_t num_threads_;
  Panels columns_;
  const size_t stride_;
  std::vector<float> errors_;
  Numbers losses_;
};

// What the last steps tell about the curvature.
class Curvature {
 public:
  void add(Numbers step, Numbers change) {
    const double product = dot(step, change);
    if (!(product > 0)) return;  // rounding has eaten it
    if (steps_.size() == kMemory) steps_.pop_front();
    steps_.push_back({std::move(step), std::move(change), product});
  }
  void forget() { steps_.clear(); }
  bool empty() const { return steps_.empty(); }

  // The direction that would lead to the minimum if the curvature were what the steps tell.
  Numbers direction(const Numbers& gradient) const {
    Numbers result = gradient;
    std::vector<double> shares(steps_.size());
    for (size_t i = steps_.size(); i-- > 0;) {
      shares[i] = dot(steps_[i].step, result) / steps_[i].product;
      for (size_t k = 0; k < result.size(); ++k) result[k] -= shares[i] * steps_[i].change[k];
    }
    if (!steps_.empty()) {
      const double scale = steps_.back().product / dot(steps_.back().change, steps_.back().change);
      for (double& number : result) number *= scale;
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      const double share = shares[i] - dot(steps_[i].change, result) / steps_[i].product;
      for (size_t k = 0; k < result.size(); ++k) result[k] += share * steps_[i].step[k];
    }
    for (double& number : result) number = -number;
    return result;
  }

 private:
  struct Step {
    Numbers step, change;
    double product;
  };
  std::deque<Step> steps_;
};

double largest(const Numbers& numbers) {
  double result = 0;
  for (const double number : numbers) result = std::max(result, std::abs(number));
  return result;
}

// The mean is subtracted from all vectors: a direction that they share would slow the steps down, and the biases make
// up for it.
Numbers mean_of(const Vectors& x) {
  Numbers mean(x.width);
  for (size_t i = 0; i < x.count(); ++i) {
    for (size_t k = 0; k < x.width; ++k) mean[k] += x[i][k];
  }
  for (double& number : mean) number /= static_cast<double>(x.count());
  return mean;
}

Vectors less(const Vectors& x, const Numbers& mean) {
  Vectors result = x;
  for (size_t i = 0; i < result.numbers.size(); ++i) result.numbers[i] -= static_cast<float>(mean[i % x.width]);
  return result;
}

}  // namespace

Logistic fit_logistic(const Vectors& given, const std::vector<int32_t>& classes_of_x, size_t classes, double strength,
                      int32_t num_threads) {
  const Numbers mean = mean_of(given);
  const Vectors x = less(given, mean);
  Problem problem(x, classes_of_x, classes, strength, num_threads);
  Logistic result;
  result.classes = classes;
  Numbers point(problem.size()), gradient(problem.size()), next(problem.size()), next_gradient(problem.size());
  double value = problem.look(point, gradient);
  Curvature curvature;
  for (; result.steps < kMostSteps && largest(gradient) > kTolerance; ++result.steps) {
    const bool fresh = curvature.empty();
    const Numbers direction = curvature.direction(gradient);
    const double slope = dot(direction, gradient);
    double length = fresh ? 1 / std::max(1.0, std::sqrt(dot(gradient, gradient))) : 1;
    double next_value = 0;
    bool better = false;
    for (int tries = 0; tries < 20 && !better; ++tries) {
      for (size_t i = 0; i < point.size(); ++i) next[i] = point[i] + length * direction[i];
      next_value = problem.look(next, next_gradient);
      better = next_value <= value + 1e-4 * length * slope ||
               // If rounding hides the difference of the values, the slopes still tell (Hager and Zhang).
               (next_value <= value + 1e-7 * std::abs(value) && dot(direction, next_gradient) <= -0.9998 * slope);
      if (!better) length /= 2;
    }
    if (!better) {
      if (fresh) break;  // as near to the minimum as these floats come
      curvature.forget();
      continue;
    }
    Numbers step(point.size()), change(point.size());
    for (size_t i = 0; i < point.size(); ++i) {
      step[i] = next[i] - point[i];
      change[i] = next_gradient[i] - gradient[i];
    }
    curvature.add(std::move(step), std::move(change));
    point.swap(next);
    gradient.swap(next_gradient);
    value = next_value;
  }
  result.gradient = largest(gradient);
  result.converged = result.gradient <= kTolerance;
  for (size_t c = 0; c < classes; ++c) {
    double* const row = point.data() + c * (x.width + 1);
    for (size_t k = 0; k < x.width; ++k) row[x.width] -= row[k] * mean[k];
  }
  result.weights = std::move(point);
  return result;
}

std::vector<int32_t> predict(const Logistic& model, const Vectors& x, int32_t num_threads) {
  const Panels weights = weight_panels(model.weights, x.width, model.classes);
  const size_t stride = weights.count() * kPanelWidth;
  std::vector<int32_t> result(x.count());
  parallel_for(blocks_of(x.count()), num_threads, [&](size_t block) {
    const size_t first = block * kBlock, rows = std::min(kBlock, x.count() - first);
    std::vector<float> scores(rows * stride);
    block_scores(x, first, rows, weights, model.weights, model.classes, scores.data());
    for (size_t r = 0; r < rows; ++r) {
      const float* const row = scores.data() + r * stride;
      result[first + r] = static_cast<int32_t>(std::max_element(row, row + model.classes) - row);
    }
  });
  return result;
}

}  // namespace lffn::tools
