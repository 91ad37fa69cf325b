/* model_tasks.hpp - the longer members of Model: scores, fillings, entities, answers, labels, prompts. Included by
 * lookupffn.hpp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_MODEL_TASKS_HPP
#define LOOKUPFFN_MODEL_TASKS_HPP

#include <string>
#include <string_view>
#include <vector>

#include "lookupffn/model_texts.hpp"

namespace lookupffn {

inline void Model::activate(std::int32_t kind, Span<float> scores) const {
  const auto classes = static_cast<std::size_t>(info().num_classes);
  if (classes > 0 && scores.size() % classes != 0) {
    throw InvalidArgument("scores: " + std::to_string(scores.size()) + " are no whole number of texts of " +
                          std::to_string(classes) + " classes");
  }
  const std::int64_t n = classes > 0 ? static_cast<std::int64_t>(scores.size() / classes) : 0;
  check(lffn_model_activate_scores(handle_.get(), kind, scores.data(), n, scores.data()));
}

inline List<List<Filling>> Model::fill_mask(std::string_view text, std::int32_t top_k,
                                            const RunOptions& options) const {
  Result result;
  lffn_model_run_args args = arguments(options);
  const Texts texts = {text};
  texts.give(args);
  args.top_k = top_k;
  const std::vector<lffn_output> list = kept({out::filling_ids, out::filling_probabilities});
  keep(args, list, result);
  check(lffn_model_run(handle_.get(), &args));
  const auto ids = result.get(out::filling_ids);
  const auto probabilities = result.get(out::filling_probabilities);
  List<List<Filling>> fillings(ids.count());
  for (std::size_t i = 0; i < ids.values.size(); ++i) {
    fillings[i / ids.columns].push_back({ids[i], probabilities[i]});
  }
  return fillings;
}

inline List<List<Entity>> Model::entities(const Texts& texts, std::int32_t aggregation,
                                          const RunOptions& options) const {
  Result result;
  lffn_model_run_args args = arguments(options);
  texts.give(args);
  args.aggregation = aggregation;
  const std::vector<lffn_output> list =
      kept({out::entity_begins, out::entity_ends, out::entity_scores, out::entity_classes, out::entity_offsets});
  keep(args, list, result);
  check(lffn_model_run(handle_.get(), &args));
  const auto begins = result.get(out::entity_begins), ends = result.get(out::entity_ends);
  const auto offsets = result.get(out::entity_offsets);
  const auto scores = result.get(out::entity_scores);
  const auto classes = result.get(out::entity_classes);
  List<List<Entity>> found(static_cast<std::size_t>(args.n));
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (auto e = static_cast<std::size_t>(offsets[i]); e < static_cast<std::size_t>(offsets[i + 1]); ++e) {
      const char* const label = aggregation == LFFN_AGGREGATION_NONE
                                    ? lffn_model_label(handle_.get(), classes[e])
                                    : lffn_model_entity_label(handle_.get(), classes[e]);
      found[i].push_back({label, scores[e], static_cast<std::size_t>(begins[e]), static_cast<std::size_t>(ends[e])});
    }
  }
  return found;
}

inline List<Answer> Model::answer(std::string_view question, std::string_view context,
                                  const AnswerOptions& options) const {
  Result result;
  lffn_model_answer_args args;
  lffn_model_answer_args_init(&args);
  args.question = question.data();
  args.question_size = question.size();
  args.context = context.data();
  args.context_size = context.size();
  args.max_tokens = options.max_tokens;
  args.stride = options.stride;
  args.max_answer_tokens = options.max_answer_tokens;
  args.top_k = options.top_k;
  args.flags = options.may_be_none ? std::uint32_t{LFFN_ANSWER_MAY_BE_NONE} : 0u;
  args.cancel = options.cancel == nullptr ? nullptr : options.cancel->address();
  const std::vector<lffn_output> list = kept({out::answer_begins, out::answer_ends, out::answer_scores});
  args.outputs = list.data();
  args.n_outputs = static_cast<std::int64_t>(list.size());
  args.result = result.get();
  check(lffn_model_answer(handle_.get(), &args));
  const auto begins = result.get(out::answer_begins), ends = result.get(out::answer_ends);
  const auto scores = result.get(out::answer_scores);
  List<Answer> answers;
  for (std::size_t i = 0; i < scores.count(); ++i) {
    answers.push_back({static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(ends[i]), scores[i]});
  }
  return answers;
}

inline List<ScoredLabel> Model::zero_shot(std::string_view text, const std::vector<std::string>& labels,
                                          const ZeroShotOptions& options) const {
  std::vector<const char*> names;
  std::vector<std::size_t> sizes;
  for (const std::string& label : labels) {
    names.push_back(label.data());
    sizes.push_back(label.size());
  }
  lffn_model_zero_shot_args args;
  lffn_model_zero_shot_args_init(&args);
  args.text = text.data();
  args.text_size = text.size();
  args.labels = names.data();
  args.label_sizes = sizes.data();
  args.n_labels = static_cast<std::int64_t>(labels.size());
  args.hypothesis = options.hypothesis.data();
  args.hypothesis_size = options.hypothesis.size();
  args.max_tokens = options.max_tokens;
  args.flags = options.several ? std::uint32_t{LFFN_ZERO_SHOT_MULTI_LABEL} : 0u;
  args.cancel = options.cancel == nullptr ? nullptr : options.cancel->address();
  Result result;
  const std::vector<lffn_output> list = kept({out::label_scores, out::label_order});
  args.outputs = list.data();
  args.n_outputs = static_cast<std::int64_t>(list.size());
  args.result = result.get();
  check(lffn_model_zero_shot(handle_.get(), &args));
  const auto scores = result.get(out::label_scores);
  List<ScoredLabel> found;
  for (const std::int64_t i : result.get(out::label_order).values) {
    const auto place = static_cast<std::size_t>(i);
    found.push_back({labels[place], scores[place]});
  }
  return found;
}

inline std::string_view Model::prompt(std::string_view name) const& {
  std::string known;
  for (std::int32_t i = 0; i < info().num_prompts; ++i) {
    const char* prompt_name = nullptr;
    const char* text = nullptr;
    check(lffn_model_prompt(handle_.get(), i, &prompt_name, &text));
    if (name == prompt_name) return text;
    known += (i > 0 ? ", " : "") + std::string(prompt_name);
  }
  throw InvalidArgument("there is no prompt '" + std::string(name) + "'; " +
                        (known.empty() ? "the model has none" : "the model has " + known));
}

}  // namespace lookupffn

#endif /* LOOKUPFFN_MODEL_TASKS_HPP */
