// SPDX-License-Identifier: Apache-2.0
#include "model/scores.h"

#include <algorithm>

#include "model/activations.h"
#include "model/own_math.h"

namespace lffn {
namespace {

void softmax(const float* scores, int64_t count, float* out) {
  const float largest = *std::max_element(scores, scores + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += own_exp(static_cast<double>(scores[i]) - static_cast<double>(largest));
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(own_exp(static_cast<double>(scores[i]) - static_cast<double>(largest)) / sum);
  }
}

}  // namespace

void activate_scores(const Model& model, int32_t kind, const float* scores, int64_t n, float* out) {
  const int64_t classes = model.num_classes();
  const Activation activation = kind == LFFN_SCORES_PROBABILITIES ? Activation::kSigmoid
                                : kind == LFFN_SCORES_MODEL       ? model.rank_activation()
                                                                  : Activation::kNone;
  const auto activated = activation_row(activation).function;
  for (int64_t i = 0; i < n; ++i) {
    const float* const from = scores + i * classes;
    float* const to = out + i * classes;
    if (kind == LFFN_SCORES_PROBABILITIES && !model.sigmoid_probabilities()) {
      softmax(from, classes, to);
    } else {
      for (int64_t c = 0; c < classes; ++c) to[c] = activated(from[c]);
    }
  }
}

}  // namespace lffn
