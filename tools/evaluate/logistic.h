// SPDX-License-Identifier: Apache-2.0
// Multinomial logistic regression on embeddings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluate/cases.h"

namespace lffn::tools {

struct Logistic {
  size_t classes = 0;
  std::vector<double> weights;  // [classes][width + 1], the bias last
  int32_t steps = 0;
  double gradient = 0;  // the largest number in the gradient where the steps ended
  bool converged = false;
};

// Minimises the mean of -log(probability of the right class), plus |weights|^2 / (2 * strength * vectors), biases left
// out: the problem that scikit-learn calls C = strength. Starts from zeros, by L-BFGS; converged when no number of the
// gradient is above the tolerance.
Logistic fit_logistic(const Vectors& x, const std::vector<int32_t>& classes_of_x, size_t classes, double strength,
                      int32_t num_threads);

// The likeliest class of each vector, the first one among equals.
std::vector<int32_t> predict(const Logistic& model, const Vectors& x, int32_t num_threads);

}  // namespace lffn::tools
