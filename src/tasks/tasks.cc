// SPDX-License-Identifier: Apache-2.0
#include "tasks/tasks.h"

#include <algorithm>
#include <numeric>

namespace lffn {

void answer(const Model& model, std::string_view question, std::string_view context, const AnswerOptions& options,
            Outputs& outputs) {
  // There may be fewer; how many is known only afterwards.
  constexpr OutputSet kOfEach = kAnswerOutputs & ~set_of(LFFN_OUT_ANSWER_OFFSETS);
  outputs.each(kOfEach, [&](int32_t what) { outputs.set_size(what, options.top_k); });
  if (outputs.asks(set_of(LFFN_OUT_ANSWER_OFFSETS))) outputs.set_size(LFFN_OUT_ANSWER_OFFSETS, 2);
  outputs.check_room();
  const std::vector<Answer> answers = find_answers(model, question, context, options);
  outputs.each(kOfEach, [&](int32_t what) { outputs.set_size(what, static_cast<int64_t>(answers.size())); });
  const auto give = [&](int32_t what, auto* to, auto&& value) {
    if (!outputs.asks(set_of(what))) return;
    to = outputs.place<std::remove_pointer_t<decltype(to)>>(what);
    std::transform(answers.begin(), answers.end(), to, value);
  };
  int64_t* const place = nullptr;
  float* const number = nullptr;
  give(LFFN_OUT_ANSWER_BEGINS, place, [](const Answer& found) { return static_cast<int64_t>(found.begin); });
  give(LFFN_OUT_ANSWER_ENDS, place, [](const Answer& found) { return static_cast<int64_t>(found.end); });
  give(LFFN_OUT_ANSWER_SCORES, number, [](const Answer& found) { return static_cast<float>(found.score); });
  if (outputs.asks(set_of(LFFN_OUT_ANSWER_OFFSETS))) {
    auto* const offsets = outputs.place<int64_t>(LFFN_OUT_ANSWER_OFFSETS);
    offsets[0] = 0;
    offsets[1] = static_cast<int64_t>(answers.size());
  }
  outputs.show();
}

void zero_shot(const Model& model, std::string_view text, const std::vector<std::string_view>& labels,
               const ZeroShotOptions& options, Outputs& outputs) {
  outputs.each(kLabelOutputs, [&](int32_t what) { outputs.set_size(what, static_cast<int64_t>(labels.size())); });
  outputs.check_room();
  const std::vector<float> scores = score_labels(model, text, labels, options);
  if (outputs.asks(set_of(LFFN_OUT_LABEL_SCORES))) {
    outputs.give(LFFN_OUT_LABEL_SCORES, scores.data(), false);
  }
  if (outputs.asks(set_of(LFFN_OUT_LABEL_ORDER))) {
    auto* const order = outputs.place<int64_t>(LFFN_OUT_LABEL_ORDER);
    std::iota(order, order + scores.size(), int64_t{0});
    // NaN is never larger: an order that is none could not be sorted by.
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
