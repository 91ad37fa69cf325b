// SPDX-License-Identifier: Apache-2.0
// Labels that a model never learned.

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "run/run.h"
#include "runtime/error.h"
#include "runtime/own_math.h"
#include "tasks/tasks.h"

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

// The share of b in a softmax over the two, from 0 to 1.
double share(double a, double b) { return 1 / (1 + own_exp(a - b)); }

// A score for each label.
std::vector<float> score_labels(const Model& model, std::string_view text, const std::vector<std::string_view>& labels,
                                const ZeroShotOptions& options, CallMemory& memory) {
  const int32_t entailment = entailment_of(model);
  check_utf8(options.hypothesis, "hypothesis");
  const size_t hole = options.hypothesis.find(kHole);
  if (hole == std::string_view::npos || options.hypothesis.find(kHole, hole + 1) != std::string_view::npos) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "the hypothesis %s must have one {}, where the label goes",
         in_quotes(options.hypothesis).c_str());
  }
  if (labels.empty()) return {};
  std::vector<std::string> hypotheses;
  hypotheses.reserve(labels.size());
  for (const std::string_view label : labels) {
    std::string& hypothesis = hypotheses.emplace_back(options.hypothesis.substr(0, hole));
    hypothesis.append(label).append(options.hypothesis.substr(hole + kHole.size()));
  }
  std::vector<const char*> pairs;
  std::vector<size_t> pair_sizes;
  for (const std::string& hypothesis : hypotheses) {
    pairs.push_back(hypothesis.data());
    pair_sizes.push_back(hypothesis.size());
  }
  const std::vector<const char*> texts(labels.size(), text.data());
  const std::vector<size_t> sizes(labels.size(), text.size());
  const auto n = static_cast<int64_t>(labels.size());
  Request request;
  request.given = {n, texts.data(), sizes.data(), pairs.data(), pair_sizes.data(), &kHypotheses};
  request.prompt_kind = LFFN_PROMPT_NONE;
  request.max_tokens = options.max_tokens;
  request.first_only = true;
  request.cancel = options.cancel;
  const auto classes = static_cast<size_t>(model.num_classes());
  std::vector<float> scores(labels.size() * classes), result;
  const lffn_output output = {LFFN_OUT_CLASS_SCORES, 0, scores.data(), static_cast<int64_t>(scores.size())};
  Outputs outputs(&output, 1, run_outputs(), memory.rooms, nullptr);
  run(model, request, outputs, memory);

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

}  // namespace

void zero_shot(const Model& model, std::string_view text, const std::vector<std::string_view>& labels,
               const ZeroShotOptions& options, Outputs& outputs, CallMemory& memory) {
  outputs.each(kLabelOutputs, [&](int32_t what) { outputs.set_size(what, static_cast<int64_t>(labels.size())); });
  outputs.check_room();
  const std::vector<float> scores = score_labels(model, text, labels, options, memory);
  if (outputs.asks(set_of(LFFN_OUT_LABEL_SCORES))) {
    outputs.give(LFFN_OUT_LABEL_SCORES, scores.data(), false);
  }
  if (outputs.asks(set_of(LFFN_OUT_LABEL_ORDER))) {
    auto* const order = outputs.place<int64_t>(LFFN_OUT_LABEL_ORDER);
    std::iota(order, order + scores.size(), int64_t{0});
    // NaN comes last, because comparisons with NaN give no order to sort by.
    const auto value = [&](int64_t i) {
      const float score = scores[static_cast<size_t>(i)];
      return score >= 0 ? score : -1.0f;
    };
    std::sort(order, order + scores.size(),
              [&](int64_t a, int64_t b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  }
  outputs.show();
}

}  // namespace lffn
