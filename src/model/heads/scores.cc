// SPDX-License-Identifier: Apache-2.0
#include "model/heads/scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lookupffn/run.h"
#include "model/config/activations.h"
#include "runtime/own_math.h"

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

void activate_scores(const ModelCore& model, int32_t kind, const float* scores, int64_t n, float* out) {
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

void most_likely(const float* logits, int32_t vocabulary, int32_t top_k, int32_t* ids, float* probabilities) {
  // NaN goes last: it has no place in a sorting order.
  const auto value = [&](int32_t id) { return std::isnan(logits[id]) ? -INFINITY : logits[id]; };
  const auto is_better = [&](int32_t a, int32_t b) { return value(a) != value(b) ? value(a) > value(b) : a < b; };
  // A heap of the best so far, the worst of them in front.
  std::iota(ids, ids + top_k, 0);
  std::make_heap(ids, ids + top_k, is_better);
  for (int32_t id = top_k; id < vocabulary; ++id) {
    if (!is_better(id, ids[0])) continue;
    std::pop_heap(ids, ids + top_k, is_better);
    ids[top_k - 1] = id;
    std::push_heap(ids, ids + top_k, is_better);
  }
  std::sort_heap(ids, ids + top_k, is_better);
  if (probabilities == nullptr) return;
  const double largest = value(ids[0]);
  double sum = 0;
  for (int32_t id = 0; id < vocabulary; ++id) sum += own_exp(static_cast<double>(logits[id]) - largest);
  for (int32_t k = 0; k < top_k; ++k) {
    probabilities[k] = static_cast<float>(own_exp(static_cast<double>(logits[ids[k]]) - largest) / sum);
  }
}

}  // namespace lffn
