// SPDX-License-Identifier: Apache-2.0
#include "run/entities.h"

#include <algorithm>
#include <cmath>

#include "format/characters.h"
#include "format/utf8.h"
#include "runtime/own_math.h"

namespace lffn {
namespace {

constexpr std::string_view kNoEntity = "O";

// The first NaN, which is larger than all numbers, or the first of the largest.
int32_t place_of_largest(const std::vector<double>& values) {
  size_t best = 0;
  for (size_t i = 0; i < values.size() && !std::isnan(values[best]); ++i) {
    if (std::isnan(values[i]) || values[i] > values[best]) best = i;
  }
  return static_cast<int32_t>(best);
}

// Whether a token continues the word of the one before. If the vocabulary marks such tokens by a prefix, it does if it
// is written differently from the text that it stands for; else it does if no blank precedes it.
bool goes_on(const Tokenizer& tokenizer, std::string_view text, int32_t id, const TextSpan& span) {
  if (id == tokenizer.unk_id()) return false;
  if (!tokenizer.inner_prefix().empty()) {
    const std::string_view written = tokenizer.token_of(id).value_or(std::string_view());
    return count_characters(written) != count_characters(text.substr(span.begin, span.end - span.begin));
  }
  return span.begin > 0 && text[span.begin - 1] != ' ' && (span.begin == text.size() || text[span.begin] != ' ');
}

// "B-PER" begins an entity of the kind "PER"; "I-PER" and all other labels continue one.
struct Tag {
  bool begins;
  std::string_view kind;
};

Tag tag_of(std::string_view label) {
  const std::string_view start = label.substr(0, 2);
  if (start == "B-" || start == "I-") return {start[0] == 'B', label.substr(2)};
  return {false, label};
}

}  // namespace

void EntityFinder::set_probabilities(const float* scores) {
  double largest = double{scores[0]}, sum = 0;
  for (size_t i = 1; i < probabilities_.size(); ++i) largest = std::max(largest, double{scores[i]});
  for (size_t i = 0; i < probabilities_.size(); ++i) sum += probabilities_[i] = own_exp(double{scores[i]} - largest);
  for (double& probability : probabilities_) probability /= sum;
}

// The class of a word, or of a token alone.
Entity EntityFinder::judge(const Model& model, const ScoredTokens& tokens, const Word& word, Aggregation aggregation) {
  const auto classes = static_cast<size_t>(model.num_token_classes());
  probabilities_.resize(classes);
  Entity entity;
  entity.begin = tokens.spans[word.first].begin;
  entity.end = tokens.spans[word.last - 1].end;
  const auto take_best = [&](const std::vector<double>& of) {
    entity.label = place_of_largest(of);
    entity.score = static_cast<float>(of[static_cast<size_t>(entity.label)]);
  };
  if (aggregation == Aggregation::kAverage) {
    sums_.assign(classes, 0);
    counts_.assign(classes, 0);
  }
  for (int64_t t = word.first; t < word.last; ++t) {
    set_probabilities(tokens.scores + static_cast<size_t>(t) * classes);
    if (aggregation == Aggregation::kAverage) {
      for (size_t i = 0; i < classes; ++i) {
        if (std::isnan(probabilities_[i])) continue;
        sums_[i] += probabilities_[i];
        ++counts_[i];
      }
    } else if (t == word.first) {
      take_best(probabilities_);
      if (aggregation != Aggregation::kMax) break;
    } else if (static_cast<float>(probabilities_[static_cast<size_t>(place_of_largest(probabilities_))]) >
               entity.score) {
      take_best(probabilities_);
    }
  }
  if (aggregation == Aggregation::kAverage) {
    for (size_t i = 0; i < classes; ++i) sums_[i] /= static_cast<double>(counts_[i]);
    take_best(sums_);
  }
  return entity;
}

void EntityFinder::find(const Model& model, std::string_view text, const ScoredTokens& tokens, Aggregation aggregation,
                        bool all, std::vector<Entity>& to) {
  const bool joins_words = aggregation != Aggregation::kNone && aggregation != Aggregation::kSimple;
  const bool joins = aggregation != Aggregation::kNone;
  const std::vector<std::string>& labels = model.labels();
  const auto label_of = [&](int32_t label) { return std::string_view(labels[static_cast<size_t>(label)]); };

  Entity group;
  double sum = 0;
  int64_t parts = 0, numbers = 0;  // parts of the group, and parts with a score that is a number
  Tag last = {};
  const auto end_group = [&] {
    if (parts == 0) return;
    group.score = static_cast<float>(sum / static_cast<double>(numbers));
    const std::string_view kind = joins ? entity_label(model, group.label) : label_of(group.label);
    if (all || kind != kNoEntity) to.push_back(group);
    parts = 0;
  };
  const auto add = [&](const Entity& part) {
    const Tag tag = tag_of(label_of(part.label));
    if (parts == 0 || !joins || tag.begins || tag.kind != last.kind) {
      end_group();
      group = part;
      sum = 0;
      numbers = 0;
    }
    last = tag;
    group.end = part.end;
    ++parts;
    if (std::isnan(part.score)) return;
    sum += double{part.score};
    ++numbers;
  };

  const auto in_text = [&](int64_t token) { return tokens.texts[token] >= 0; };
  for (int64_t t = 0; t < tokens.count;) {
    if (!in_text(t)) {
      ++t;
      continue;
    }
    Word word = {t, t + 1};
    while (joins_words && word.last < tokens.count && in_text(word.last) &&
           goes_on(*model.tokenizer(), text, tokens.ids[word.last], tokens.spans[word.last])) {
      ++word.last;
    }
    add(judge(model, tokens, word, aggregation));
    t = word.last;
  }
  end_group();
}

std::string_view entity_label(const Model& model, int32_t label) {
  const std::string_view name = model.labels()[static_cast<size_t>(label)];
  const size_t dash = name.find('-');
  return dash == std::string_view::npos ? name : name.substr(dash + 1);
}

}  // namespace lffn
