// SPDX-License-Identifier: Apache-2.0
#include "model/fillings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/own_math.h"

namespace lffn {

void most_likely(const float* logits, int32_t vocabulary, int32_t top_k, std::vector<int32_t>& order, int32_t* ids,
                 float* probabilities) {
  // NaN goes last: an order that is none could not be sorted by.
  const auto value = [&](int32_t id) { return std::isnan(logits[id]) ? -INFINITY : logits[id]; };
  order.resize(static_cast<size_t>(vocabulary));
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + top_k, order.end(),
                    [&](int32_t a, int32_t b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  const double largest = value(order[0]);
  double sum = 0;
  for (int32_t id = 0; id < vocabulary; ++id) sum += own_exp(static_cast<double>(logits[id]) - largest);
  for (int32_t k = 0; k < top_k; ++k) {
    const int32_t id = order[static_cast<size_t>(k)];
    if (ids != nullptr) ids[k] = id;
    if (probabilities != nullptr) {
      probabilities[k] = static_cast<float>(own_exp(static_cast<double>(logits[id]) - largest) / sum);
    }
  }
}

}  // namespace lffn
