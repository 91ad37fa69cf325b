// SPDX-License-Identifier: Apache-2.0
#include "model/scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/own_math.h"

namespace lffn {
namespace {

float sigmoid(float x) { return static_cast<float>(1 / (1 + own_exp(-static_cast<double>(x)))); }

void softmax(const float* scores, int64_t count, float* out) {
  const float largest = *std::max_element(scores, scores + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += own_exp(static_cast<double>(scores[i]) - static_cast<double>(largest));
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(own_exp(static_cast<double>(scores[i]) - static_cast<double>(largest)) / sum);
  }
}

float activated(ModuleActivation activation, float x) {
  switch (activation) {
    case ModuleActivation::kTanh:
      return static_cast<float>(own_tanh(static_cast<double>(x)));
    case ModuleActivation::kRelu:
      return x < 0 ? 0.0f : x;
    case ModuleActivation::kSigmoid:
      return sigmoid(x);
    case ModuleActivation::kGelu:
      return static_cast<float>(0.5 * static_cast<double>(x) * own_erfc(-static_cast<double>(x) * std::sqrt(0.5)));
    case ModuleActivation::kIdentity:
      break;
  }
  return x;
}

}  // namespace

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

void activate_scores(const Model& model, int32_t kind, const float* scores, int64_t n, float* out) {
  const int64_t classes = model.num_classes();
  const ModuleActivation activation = kind == LFFN_SCORES_PROBABILITIES ? ModuleActivation::kSigmoid
                                      : kind == LFFN_SCORES_MODEL       ? model.rank_activation()
                                                                        : ModuleActivation::kIdentity;
  for (int64_t i = 0; i < n; ++i) {
    const float* const from = scores + i * classes;
    float* const to = out + i * classes;
    if (kind == LFFN_SCORES_PROBABILITIES && !model.sigmoid_probabilities()) {
      softmax(from, classes, to);
    } else {
      for (int64_t c = 0; c < classes; ++c) to[c] = activated(activation, from[c]);
    }
  }
}

}  // namespace lffn
