// SPDX-License-Identifier: Apache-2.0
// Answers to a question in a context.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "lookupffn/tokenizer.h"
#include "model/text_batch.h"
#include "run/run.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "runtime/own_math.h"
#include "tasks/tasks.h"
#include "texts/text_rows.h"

namespace lffn {
namespace {

constexpr int64_t kOwnMaxTokens = 384;  // where the caller does not say

// The question and the context as the tokenizer gives them, and the windows that are run.
struct Sequences {
  Encoding whole;
  Windows windows;
  std::vector<int32_t> ids, types;
  std::vector<int64_t> offsets = {0};

  int64_t tokens() const { return static_cast<int64_t>(whole.ids.size()); }
};

void encode(const Model& model, std::string_view question, std::string_view context, const int32_t* cancel,
            Sequences& to) {
  check_utf8(question, "question");
  check_utf8(context, "context");
  Tokenizer::Options options;
  options.special = true;
  options.spans = true;
  options.checked = true;
  options.cancel = cancel;
  Tokenizer::Scratch scratch;
  model.tokenizer()->encode(question, &context, options, scratch, to.whole);
  for (const int32_t type : to.whole.types) check_type(type, most_types(model));
}

void cut(const Model& model, const AnswerOptions& options, Sequences& to) {
  const int64_t most = options.max_tokens == LFFN_MAX_TOKENS_NEVER ? model.config().max_tokens()
                       : options.max_tokens == LFFN_MAX_TOKENS_MODEL
                           ? std::min(model.own_max_tokens(), kOwnMaxTokens)
                           : std::min(options.max_tokens, model.config().max_tokens());
  if (options.max_tokens == LFFN_MAX_TOKENS_NEVER && to.tokens() > most) {
    fail(LFFN_ERROR_TOO_LONG, "question and context have %lld tokens, the model can run at most %lld",
         static_cast<long long>(to.tokens()), static_cast<long long>(most));
  }
  const auto [first, last] = tokens_of_text(to.whole, 1);
  to.windows.cut(to.tokens(), first, last, {most, stride_of(options.stride, most), model.tokenizer()->truncates_left()},
                 "the question");
}

void lay_out(Sequences& to) {
  for (size_t i = 0; i < to.windows.count(); ++i) {
    for (int64_t t = 0; t < to.windows.length(i); ++t) {
      const auto at = static_cast<size_t>(to.windows.place(i, t));
      to.ids.push_back(to.whole.ids[at]);
      to.types.push_back(to.whole.types[at]);
    }
    to.offsets.push_back(static_cast<int64_t>(to.ids.size()));
  }
}

// A part of a window, by its first and last token, and how likely it is.
struct Candidate {
  float score;
  int64_t first, last;
};

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.first != b.first ? a.first < b.first : a.last < b.last;
}

class Finder {
 public:
  Finder(const Model& model, std::string_view context, const AnswerOptions& options, const Sequences& sequences)
      : context_(context),
        options_(options),
        sequences_(sequences),
        windows_(sequences.windows),
        first_id_(model.tokenizer()->cls_id()),
        // More than top_k, because several may turn out to be the same words.
        most_(2 * static_cast<size_t>(options.top_k) + 10) {}

  // `scores` has two for each token of the window.
  void look_at(size_t window, const float* scores) {
    window_ = window;
    const int64_t length = sequences_.offsets[window + 1] - sequences_.offsets[window];
    for (int64_t of = 0; of < 2; ++of) set_likelihoods(scores + of, length, likelihoods_[of]);
    if (length > 0) none_ = std::min(none_, static_cast<double>(likelihoods_[0][0] * likelihoods_[1][0]));
    select();
    std::sort(best_.begin(), best_.end(), is_better);
    for (const Candidate& candidate : best_) add(candidate);
  }

  std::vector<Answer> finish() {
    if (options_.may_be_none) answers_.push_back({0, 0, none_});
    // Of equal answers, those found first come first. Not by std::stable_sort: where it gets no memory it silently does
    // without.
    std::vector<size_t> order(answers_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return answers_[a].score != answers_[b].score ? answers_[a].score > answers_[b].score : a < b;
    });
    order.resize(std::min(order.size(), static_cast<size_t>(options_.top_k)));
    std::vector<Answer> best;
    best.reserve(order.size());
    for (const size_t i : order) best.push_back(answers_[i]);
    return best;
  }

 private:
  size_t place(int64_t token) const { return static_cast<size_t>(windows_.place(window_, token)); }
  bool in_context(int64_t token) const { return sequences_.whole.texts[place(token)] == 1; }

  // The softmax over the context and the tokens that mean that there is no answer.
  void set_likelihoods(const float* scores, int64_t length, std::vector<float>& to) const {
    to.assign(static_cast<size_t>(length), 0.0f);
    const auto counts = [&](int64_t t) { return in_context(t) || sequences_.whole.ids[place(t)] == first_id_; };
    double largest = -INFINITY, sum = 0;
    for (int64_t t = 0; t < length; ++t) {
      if (counts(t)) largest = std::max(largest, double{scores[2 * t]});
    }
    for (int64_t t = 0; t < length; ++t) {
      if (counts(t)) sum += own_exp(double{scores[2 * t]} - largest);
    }
    for (int64_t t = 0; t < length; ++t) {
      if (counts(t)) to[static_cast<size_t>(t)] = static_cast<float>(own_exp(double{scores[2 * t]} - largest) / sum);
    }
  }

  // Selects the best candidates, without those whose likelihood is 0 or NaN.
  void select() {
    best_.clear();
    const auto [begin, end] = windows_.part(window_);
    const int64_t last = windows_.first() + end - begin;
    for (int64_t i = windows_.first(); i < last; ++i) {
      poll(options_.cancel);
      if (i == 0) continue;  // the first token of all means "no answer", even where it belongs to the context
      const int64_t stop = options_.max_answer_tokens < last - i ? i + options_.max_answer_tokens : last;
      for (int64_t j = i; j < stop; ++j) {
        const Candidate candidate = {likelihoods_[0][static_cast<size_t>(i)] * likelihoods_[1][static_cast<size_t>(j)],
                                     i, j};
        if (!(candidate.score > 0)) continue;
        if (best_.size() == most_) {
          if (!is_better(candidate, best_.front())) continue;
          std::pop_heap(best_.begin(), best_.end(), is_better);
          best_.pop_back();
        }
        best_.push_back(candidate);
        std::push_heap(best_.begin(), best_.end(), is_better);
      }
    }
  }

  // Widens the candidate to whole words, as far as the window has them, and adds it to an answer with the same text, if
  // there is one.
  void add(const Candidate& candidate) {
    const Encoding& whole = sequences_.whole;
    const auto [begin, end] = windows_.part(window_);
    size_t first = place(candidate.first), last = place(candidate.last);
    while (first > static_cast<size_t>(begin) && whole.words[first - 1] == whole.words[first]) --first;
    while (last + 1 < static_cast<size_t>(end) && whole.words[last + 1] == whole.words[last]) ++last;
    const Answer answer = {whole.spans[first].begin, whole.spans[last].end, double{candidate.score}};
    lower(answer.begin < answer.end ? context_.substr(answer.begin, answer.end - answer.begin) : std::string_view(),
          text_);
    const auto [there, is_new] = by_text_.try_emplace(text_, answers_.size());
    if (is_new) {
      answers_.push_back(answer);
    } else {
      answers_[there->second].score += answer.score;
    }
  }

  std::string_view context_;
  const AnswerOptions& options_;
  const Sequences& sequences_;
  const Windows& windows_;
  const int32_t first_id_;
  const size_t most_;
  size_t window_ = 0;
  std::vector<float> likelihoods_[2];  // that an answer begins, and that it ends, with each token
  std::vector<Candidate> best_;        // a heap, the worst first
  std::vector<Answer> answers_;
  std::unordered_map<std::string, size_t> by_text_;  // in lower case
  std::string text_;
  double none_ = 1;  // how likely "no answer" is, in the window where it is least likely
};

}  // namespace

std::vector<Answer> find_answers(const Model& model, std::string_view question, std::string_view context,
                                 const AnswerOptions& options, CallMemory& memory) {
  Sequences sequences;
  encode(model, question, context, options.cancel, sequences);
  cut(model, options, sequences);
  lay_out(sequences);
  std::vector<float> scores(sequences.ids.size() * 2 + 1);  // one more: never without memory
  Request request;
  request.given.n = static_cast<int64_t>(sequences.windows.count());
  request.sequences = {sequences.ids.data(), sequences.offsets.data(),
                       gives_types(model) ? sequences.types.data() : nullptr};
  request.cancel = options.cancel;
  const lffn_output output = {LFFN_OUT_TOKEN_SCORES, 0, scores.data(), static_cast<int64_t>(scores.size())};
  Outputs outputs(&output, 1, run_outputs(), memory.rooms, nullptr);
  run(model, request, outputs, memory);
  Finder finder(model, context, options, sequences);
  for (size_t i = 0; i < sequences.windows.count(); ++i) {
    finder.look_at(i, scores.data() + 2 * sequences.offsets[i]);
  }
  return finder.finish();
}

void answer(const Model& model, std::string_view question, std::string_view context, const AnswerOptions& options,
            Outputs& outputs, CallMemory& memory) {
  // There may be fewer than top_k answers; how many is known only afterwards.
  constexpr OutputSet kOfEach = kAnswerOutputs & ~set_of(LFFN_OUT_ANSWER_OFFSETS);
  outputs.each(kOfEach, [&](int32_t what) { outputs.set_size(what, options.top_k); });
  if (outputs.asks(set_of(LFFN_OUT_ANSWER_OFFSETS))) outputs.set_size(LFFN_OUT_ANSWER_OFFSETS, 2);
  outputs.check_room();
  const std::vector<Answer> answers = find_answers(model, question, context, options, memory);
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

}  // namespace lffn
