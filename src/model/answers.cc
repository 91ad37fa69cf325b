// SPDX-License-Identifier: Apache-2.0
#include "model/answers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_map>

#include "model/own_math.h"
#include "model/text_batch.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr int64_t kOwnMaxTokens = 384, kOwnMaxStride = 128;  // where the caller does not say

// The question and the context as the tokenizer gives them, and the windows that are run.
struct Windows {
  Encoding whole;
  int64_t first = 0, last = 0;                     // the tokens of the context, one behind the other
  std::vector<std::pair<int64_t, int64_t>> parts;  // of these, what each window has
  std::vector<int32_t> ids, types;
  std::vector<int64_t> offsets = {0};

  int64_t tokens() const { return static_cast<int64_t>(whole.ids.size()); }
  // The place in `whole` of a window's token.
  int64_t place(size_t window, int64_t token) const {
    const auto [begin, end] = parts[window];
    if (token < first) return token;
    return token < first + end - begin ? token - first + begin : token - (first + end - begin) + last;
  }
};

void encode(const Model& model, std::string_view question, std::string_view context, const int32_t* cancel,
            Windows& to) {
  check_utf8(question, "question");
  check_utf8(context, "context");
  Tokenizer::Options options;
  options.special = true;
  options.spans = true;
  options.checked = true;
  options.cancel = cancel;
  Tokenizer::Scratch scratch;
  model.tokenizer()->encode(question, &context, options, scratch, to.whole);
  check_types(model, to.whole.types);
  const std::vector<int8_t>& texts = to.whole.texts;
  to.first = std::find(texts.begin(), texts.end(), 1) - texts.begin();
  to.last = to.first + std::count(texts.begin(), texts.end(), 1);
  if (std::count(texts.begin() + to.first, texts.begin() + to.last, 1) != to.last - to.first) {
    fail(LFFN_ERROR_UNSUPPORTED, "the tokenizer's template puts the second of two texts in several places");
  }
}

// As Hugging Face's tokenizers cut the second of two texts: each window begins so far behind the one before that they
// share `stride` tokens, and the last one ends with the text; from the other end where texts are cut on the left.
void cut(const Model& model, const AnswerOptions& options, Windows& to) {
  const int64_t most = options.max_tokens == LFFN_MAX_TOKENS_NEVER ? model.config().max_tokens()
                       : options.max_tokens == LFFN_MAX_TOKENS_MODEL
                           ? std::min(model.own_max_tokens(), kOwnMaxTokens)
                           : std::min(options.max_tokens, model.config().max_tokens());
  const int64_t stride = options.stride < 0 ? std::min(most / 2, kOwnMaxStride) : options.stride;
  const int64_t count = to.last - to.first, room = most - (to.tokens() - count);
  if (count <= room) {
    to.parts.emplace_back(to.first, to.last);
    return;
  }
  if (options.max_tokens == LFFN_MAX_TOKENS_NEVER) {
    fail(LFFN_ERROR_TOO_LONG, "question and context have %lld tokens, the model can run at most %lld",
         static_cast<long long>(to.tokens()), static_cast<long long>(most));
  }
  if (room < 1) {
    fail(LFFN_ERROR_INVALID_ARGUMENT,
         "the question has %lld tokens with the special ones, which leaves no room in %lld",
         static_cast<long long>(to.tokens() - count), static_cast<long long>(most));
  }
  if (stride >= room) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is %lld, a window has only %lld tokens of the context",
         static_cast<long long>(stride), static_cast<long long>(room));
  }
  const bool left = model.tokenizer()->truncates_left();
  for (int64_t begin = 0;; begin += room - stride) {
    const int64_t end = std::min(begin + room, count);
    to.parts.emplace_back(left ? to.last - end : to.first + begin, left ? to.last - begin : to.first + end);
    if (end == count) return;
  }
}

void lay_out(Windows& windows) {
  for (size_t i = 0; i < windows.parts.size(); ++i) {
    const auto [begin, end] = windows.parts[i];
    const int64_t length = windows.tokens() - (windows.last - windows.first) + end - begin;
    for (int64_t t = 0; t < length; ++t) {
      const auto at = static_cast<size_t>(windows.place(i, t));
      windows.ids.push_back(windows.whole.ids[at]);
      windows.types.push_back(windows.whole.types[at]);
    }
    windows.offsets.push_back(static_cast<int64_t>(windows.ids.size()));
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
  Finder(const Model& model, std::string_view context, const AnswerOptions& options, const Windows& windows)
      : context_(context),
        options_(options),
        windows_(windows),
        first_id_(model.tokenizer()->bos_id()),
        // Several may turn out to be the same words.
        most_(2 * static_cast<size_t>(options.top_k) + 10) {}

  // scores: two of each of the window's tokens.
  void look_at(size_t window, const float* scores) {
    window_ = window;
    const int64_t length = windows_.offsets[window + 1] - windows_.offsets[window];
    for (int64_t of = 0; of < 2; ++of) set_likelihoods(scores + of, length, likelihoods_[of]);
    if (length > 0) none_ = std::min(none_, static_cast<double>(likelihoods_[0][0] * likelihoods_[1][0]));
    select();
    std::sort(best_.begin(), best_.end(), is_better);
    for (const Candidate& candidate : best_) add(candidate);
  }

  std::vector<Answer> finish() {
    if (options_.may_be_none) answers_.push_back({0, 0, none_});
    // Of equal ones those found first; a stable sort would do without memory that it cannot have, and tell nobody.
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
  bool in_context(int64_t token) const { return windows_.whole.texts[place(token)] == 1; }

  // The softmax over the context and the tokens that mean that there is no answer.
  void set_likelihoods(const float* scores, int64_t length, std::vector<float>& to) const {
    to.assign(static_cast<size_t>(length), 0.0f);
    const auto counts = [&](int64_t t) { return in_context(t) || windows_.whole.ids[place(t)] == first_id_; };
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

  // The best candidates; not those of no likelihood, and none of a NaN.
  void select() {
    best_.clear();
    const auto [begin, end] = windows_.parts[window_];
    const int64_t last = windows_.first + end - begin;
    for (int64_t i = windows_.first; i < last; ++i) {
      poll(options_.cancel);
      if (i == 0) continue;  // where the first token of all is the context's, it still means that there is none
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

  // Widened to whole words, as far as the window has them, and put together with what has the same text.
  void add(const Candidate& candidate) {
    const Encoding& whole = windows_.whole;
    const auto [begin, end] = windows_.parts[window_];
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
  const Windows& windows_;
  const int32_t first_id_;
  const size_t most_;
  size_t window_ = 0;
  std::vector<float> likelihoods_[2];  // that an answer begins, and that it ends, with each token
  std::vector<Candidate> best_;        // a heap, the worst first
  std::vector<Answer> answers_;
  std::unordered_map<std::string, size_t> by_text_;  // in lower case
  std::string text_;
  double none_ = 1;  // how likely it is that there is no answer, in the window that has most of one
};

}  // namespace

std::vector<Answer> find_answers(const Model& model, std::string_view question, std::string_view context,
                                 const AnswerOptions& options) {
  Windows windows;
  encode(model, question, context, options.cancel, windows);
  cut(model, options, windows);
  lay_out(windows);
  std::vector<float> scores(windows.ids.size() * 2);
  ModelCall call;
  call.ids = windows.ids.data();
  call.types = gives_types(model) ? windows.types.data() : nullptr;
  call.offsets = windows.offsets.data();
  call.num_sequences = static_cast<int64_t>(windows.parts.size());
  call.token_scores = scores.data();
  call.cancel = options.cancel;
  model.run(call);
  Finder finder(model, context, options, windows);
  for (size_t i = 0; i < windows.parts.size(); ++i) {
    finder.look_at(i, scores.data() + 2 * windows.offsets[i]);
  }
  return finder.finish();
}

}  // namespace lffn
