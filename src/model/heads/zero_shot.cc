// SPDX-License-Identifier: Apache-2.0
#include "model/heads/zero_shot.h"

#include <algorithm>
#include <string>

#include "format/utf8.h"
#include "model/encoder/own_math.h"
#include "model/text_batch.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr std::string_view kHole = "{}";

int32_t entailment_of(const Model& model) {
  const int32_t entailment = model.config().entailment;
  if (model.num_classes() < 2 || entailment < 0 || entailment >= model.num_classes()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "this model has no classifier with a class of entailment ('label2id')");
  }
  return entailment;
}

// What is left of b where both can be, from 0 to 1: a softmax over two.
double share(double a, double b) { return 1 / (1 + own_exp(a - b)); }

}  // namespace

std::vector<float> score_labels(const Model& model, std::string_view text, const std::vector<std::string_view>& labels,
                                const ZeroShotOptions& options) {
  const int32_t entailment = entailment_of(model);
  check_utf8(options.hypothesis, "hypothesis");
  const size_t hole = options.hypothesis.find(kHole);
  if (hole == std::string_view::npos || options.hypothesis.find(kHole, hole + 1) != std::string_view::npos) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "the hypothesis %s must have one {}, where the label goes",
         in_quotes(options.hypothesis).c_str());
  }
  TextOptions reading;
  reading.max_tokens = options.max_tokens;
  reading.first_only = true;
  reading.cancel = options.cancel;
  TextBatch batch;
  batch.start(model, reading);
  std::string hypothesis;
  for (const std::string_view label : labels) {
    hypothesis.assign(options.hypothesis.substr(0, hole)).append(label);
    hypothesis.append(options.hypothesis.substr(hole + kHole.size()));
    batch.add_pair(text, hypothesis);
  }
  const auto classes = static_cast<size_t>(model.num_classes());
  std::vector<float> scores(labels.size() * classes), result;
  ModelCall call;
  batch.fill(call);
  call.class_scores = scores.data();
  call.cancel = options.cancel;
  model.run(call);

  const auto score = [&](size_t label, size_t of) { return double{scores[label * classes + of]}; };
  const auto entailed = static_cast<size_t>(entailment), contradicted = entailment == 0 ? classes - 1 : 0;
  double largest = 0, sum = 0;
  for (size_t i = 0; i < labels.size(); ++i)
    largest = i == 0 ? score(i, entailed) : std::max(largest, score(i, entailed));
  for (size_t i = 0; i < labels.size(); ++i) sum += own_exp(score(i, entailed) - largest);
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool alone = options.several || labels.size() == 1;
    result.push_back(static_cast<float>(alone ? share(score(i, contradicted), score(i, entailed))
                                              : own_exp(score(i, entailed) - largest) / sum));
  }
  return result;
}

}  // namespace lffn
