// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace draws {

// Four to six times what 300 draws gave at most, on all instruction sets: `draws --new 300 --measure` prints it. Of
// weights that were rounded, what is beyond is looked at closer.
double bound_of(const std::string& name) {
  static const std::map<std::string, double> bounds = {
      {"class scores", 5e-5},    {"embeddings", 2e-5},         {"entity scores", 5e-6},    {"hidden", 5e-5},
      {"logits", 3e-5},          {"probabilities", 3e-5},      {"sparse", 1e-4},           {"token scores", 4e-5},
      {"vectors", 3e-5},         {"class scores, bf16", 0.15}, {"embeddings, bf16", 0.15}, {"hidden, bf16", 0.15},
      {"logits, bf16", 0.2},     {"token scores, bf16", 0.25}, {"vectors, bf16", 0.15},    {"class scores, int8", 0.4},
      {"embeddings, int8", 0.4}, {"hidden, int8", 0.4},        {"logits, int8", 0.5},      {"token scores, int8", 0.4},
      {"vectors, int8", 0.5}};
  return bounds.at(name);
}

namespace {

constexpr double kSmall = 0.1;   // what is smaller on the whole is compared as if it were this large
constexpr uint64_t kShaken = 4;  // references with numbers that are off
constexpr double kMoreThanShaken = 3;
constexpr double kCloseCodes = 1e-4;  // of hash values; nearer to 0 float32 may choose another row

class Comparison {
 public:
  Comparison(const DrawnModel& model, const Request& request, Weights weights, size_t sequence, const Output& output,
             Differences& differences)
      : m_(model),
        request_(request),
        ids_(request.ids[sequence]),
        sequence_(sequence),
        kind_(weights == Weights::kFloat  ? ""
              : weights == Weights::kBf16 ? ", bf16"
                                          : ", int8"),
        output_(output),
        differences_(differences),
        reference_(model) {}

  std::string run() {
    if (!request_.types.empty()) types_ = request_.types[sequence_];
    if (ids_.empty()) return "";
    hidden_ = reference_->hidden(ids_, types_);
    // A code may be another: there is nothing to compare with.
    if (reference_->nearest_code() < (kind_.empty() ? kCloseCodes : std::numeric_limits<double>::max())) return "";
    compare_all();
    if (!beyond_.empty()) look_closer();
    return wrong_;
  }

 private:
  void compare_all() {
    if (request_.hidden) expect("hidden", hidden_);
    if (request_.embeddings) embeddings();
    if (request_.logits) logits();
    if (request_.class_scores) expect("class scores", reference_->class_scores(hidden_, ids_));
    if (request_.token_scores) expect("token scores", reference_->token_scores(hidden_));
    if (request_.fillings && kind_.empty()) fillings();
    if (request_.sparse && kind_.empty()) sparse();
    if (request_.vectors) vectors();
    if (request_.entities && kind_.empty()) entities();
  }

  // Rounding weights and activations to few bits costs most models little and some much, whatever rounds them: where
  // the last layer's rows are nearly constant, or a score is the difference of large numbers. So what is beyond its
  // bound is held to what rounding does to the reference itself.
  void look_closer() {
    const double weight_step = kind_ == ", int8" ? 1.0 / 127 : 1.0 / 128,
                 input_step = kind_ == ", int8" ? 1.0 / 127 : 0;
    for (uint64_t seed = 1; seed <= kShaken; ++seed) {
      reference_.emplace(m_, weight_step, input_step, seed);
      hidden_ = reference_->hidden(ids_, types_);
      is_shaken_ = true;
      compare_all();
    }
    for (const auto& [name, difference] : beyond_) {
      if (difference <= kMoreThanShaken * shaken_[name]) continue;
      fail(name + " differ by " + std::to_string(difference / bound_of(name)) + " bounds from the reference, which " +
           "rounding moves by " + std::to_string(shaken_[name] / bound_of(name)));
    }
  }

  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  void note(const std::string& name, double difference) {
    double& largest = differences_[name];
    if (!(difference <= largest)) largest = difference;
    if (difference <= bound_of(name)) return;
    if (kind_.empty() || !(difference < std::numeric_limits<double>::infinity())) {
      return fail(name + " differ by " + std::to_string(difference / bound_of(name)) + " bounds from the reference");
    }
    double& beyond = beyond_[name];
    beyond = std::max(beyond, difference);
  }

  // What rounding moves is told by the reference alone, in the same units.
  void expect_shaken(const std::string& name, const Numbers& moved) {
    const Numbers& wanted = wanted_[name];
    double squares = 0, largest = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      squares += wanted[i] * wanted[i];
      largest = std::max(largest, std::fabs(moved[i] - wanted[i]));
    }
    double& most = shaken_[name + kind_];
    most = std::max(most, largest / std::max(kSmall, std::sqrt(squares / static_cast<double>(wanted.size()))));
  }

  void expect(const std::string& name, const Numbers& wanted) {
    if (is_shaken_) return expect_shaken(name, wanted);
    if (!kind_.empty()) wanted_[name] = wanted;
    const std::vector<float> got = numbers<float>(output_, name);
    if (got.size() != wanted.size()) {
      return fail(name + ": " + std::to_string(got.size()) + " numbers, expected " + std::to_string(wanted.size()));
    }
    if (wanted.empty()) return;
    double squares = 0, largest = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      squares += wanted[i] * wanted[i];
      const double difference = std::fabs(double{got[i]} - wanted[i]);
      if (!(difference <= largest)) largest = difference;
    }
    note(name + kind_, largest / std::max(kSmall, std::sqrt(squares / static_cast<double>(got.size()))));
  }

  void embeddings() {
    Numbers wanted;
    if (m_.head == Head::kStatic) {
      wanted = reference_->static_embedding(ids_);
    } else if (request_.pooling != 0) {
      constexpr Pool kPools[] = {Pool::kFirst, Pool::kMean, Pool::kMax, Pool::kMeanSqrt, Pool::kWeighted, Pool::kLast};
      wanted = reference_->pooled(hidden_, kPools[request_.pooling - 1]);
    } else if (m_.head == Head::kEmbeddings) {
      wanted = reference_->embedding(hidden_);
    } else {
      wanted = reference_->pooled(hidden_, Pool::kMean);
    }
    // Where files are silent an embedding has length 1.
    const bool normalises = (m_.head != Head::kEmbeddings && m_.head != Head::kStatic) || m_.normalises;
    const bool scales = request_.normalize == 1 || (request_.normalize == 0 && normalises);
    if (request_.dimensions > 0) wanted.resize(static_cast<size_t>(request_.dimensions));
    if (scales) wanted = scaled(wanted);
    expect("embeddings", wanted);
    if (!is_shaken_) forms();
  }

  // Bytes and bits are those of the floats beside them, exactly.
  void forms() {
    const std::vector<float> floats = numbers<float>(output_, "embeddings");
    if (request_.int8) {
      const std::vector<int8_t> bytes = numbers<int8_t>(output_, "int8");
      const std::vector<float> scales = numbers<float>(output_, "scales");
      float largest = 0;
      for (const float value : floats) largest = std::max(largest, std::fabs(value));
      if (bytes.size() != floats.size() || scales.size() != 1 || scales[0] != largest / 127) {
        return fail("int8: the scale is not a 127th of the largest number");
      }
      for (size_t i = 0; i < floats.size() && scales[0] > 0; ++i) {
        const double exact = double{floats[i]} / double{scales[0]};
        if (std::fabs(exact - static_cast<double>(bytes[i])) > 0.5 + 1e-4) return fail("int8: a number is not rounded");
      }
    }
    if (request_.bits) {
      const std::vector<uint8_t> bits = numbers<uint8_t>(output_, "bits");
      if (bits.size() != (floats.size() + 7) / 8) return fail("bits: another number of bytes");
      for (size_t i = 0; i < bits.size() * 8; ++i) {
        const bool set = (bits[i / 8] >> (7 - i % 8) & 1) != 0;
        if (set != (i < floats.size() && floats[i] > 0)) return fail("bits: one is not that of its number");
      }
    }
  }

  void logits() {
    Numbers wanted;
    std::vector<int64_t> tokens;
    if (request_.all_positions) {
      for (size_t t = 0; t < ids_.size(); ++t) tokens.push_back(static_cast<int64_t>(t));
    } else {
      tokens = request_.positions[sequence_];
    }
    for (const int64_t token : tokens) {
      const Numbers row = reference_->logits(hidden_, token);
      wanted.insert(wanted.end(), row.begin(), row.end());
    }
    expect("logits", wanted);
  }

  static Numbers softmax(Numbers scores) {
    const double largest = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (double& score : scores) score /= sum;
    return scores;
  }

  // Of equal tokens any may be chosen; what is not chosen is no likelier than what is.
  void fillings() {
    const std::vector<int32_t> chosen = numbers<int32_t>(output_, "fillings");
    const std::vector<float> given = numbers<float>(output_, "probabilities");
    const auto k = static_cast<size_t>(request_.top_k);
    const size_t masks = static_cast<size_t>(std::count(ids_.begin(), ids_.end(), kMask));
    if (chosen.size() != masks * k || given.size() != masks * k) return fail("fillings: not one row for each mask");
    size_t row = 0;
    for (size_t t = 0; t < ids_.size(); ++t) {
      if (ids_[t] != kMask) continue;
      Numbers likely = softmax(reference_->logits(hidden_, static_cast<int64_t>(t)));
      double least = 1;
      for (size_t i = 0; i < k; ++i) {
        const auto id = static_cast<size_t>(chosen[row * k + i]);
        if (id >= likely.size() || likely[id] < 0) return fail("fillings: a token twice, or none of the vocabulary");
        note("probabilities", std::fabs(double{given[row * k + i]} - likely[id]));
        least = std::min(least, likely[id]);
        likely[id] = -1;
      }
      if (k < likely.size() && *std::max_element(likely.begin(), likely.end()) > least + bound_of("probabilities")) {
        return fail("fillings: a likelier token was left out");
      }
      ++row;
    }
  }

  void sparse() {
    const std::vector<int32_t> tokens = numbers<int32_t>(output_, "sparse ids");
    const std::vector<float> weights = numbers<float>(output_, "sparse");
    Numbers wanted = reference_->sparse(hidden_);
    double squares = 0;
    for (const double weight : wanted) squares += weight * weight / static_cast<double>(wanted.size());
    const double unit = std::max(kSmall, std::sqrt(squares));
    double before = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < tokens.size(); ++i) {
      double& weight = wanted[static_cast<size_t>(tokens[i])];
      if (double{weights[i]} > before || !(weights[i] > 0) || weight < 0) {
        return fail("sparse: weights that do not fall, or a token twice");
      }
      before = double{weights[i]};
      note("sparse", std::fabs(double{weights[i]} - weight) / unit);
      weight = -1;
    }
    for (const double weight : wanted) {
      if (weight > 0) note("sparse", weight / unit);  // left out
    }
  }

  // Where the files have a layer for them, and say nothing else, they have length 1.
  void vectors() {
    const bool scales = request_.normalize == 1 || (request_.normalize == 0 && m_.head == Head::kVectors);
    expect("vectors", reference_->token_vectors(hidden_, ids_, scales));
  }

  // Of words that are one token each, with a blank between two.
  void entities() {
    const Numbers scores = reference_->token_scores(hidden_);
    const auto classes = static_cast<size_t>(m_.classes);
    struct Entity {
      int64_t begin, end, count;
      size_t label;
      double score;
    };
    std::vector<Entity> wanted;
    int64_t begin = 0;
    std::string last_kind;
    for (size_t t = 1; t + 1 < ids_.size(); ++t) {
      const Numbers likely = softmax(Numbers(scores.begin() + static_cast<std::ptrdiff_t>(t * classes),
                                             scores.begin() + static_cast<std::ptrdiff_t>((t + 1) * classes)));
      const auto best = static_cast<size_t>(std::max_element(likely.begin(), likely.end()) - likely.begin());
      for (size_t c = 0; c < classes; ++c) {
        if (c != best && likely[c] > likely[best] - 1e-3) return;  // too close to tell
      }
      const int64_t end = begin + static_cast<int64_t>(word(ids_[t]).size());
      const std::string& label = m_.labels[best];
      const bool begins = label.compare(0, 2, "B-") == 0;
      const std::string kind = begins || label.compare(0, 2, "I-") == 0 ? label.substr(2) : label;
      const bool simple = request_.aggregation == 0;
      if (simple && !wanted.empty() && kind == last_kind && !begins) {
        wanted.back().end = end;
        wanted.back().count += 1;
        wanted.back().score += likely[best];
      } else {
        wanted.push_back({begin, end, 1, best, likely[best]});
      }
      last_kind = kind;
      begin = end + 1;
    }
    wanted.erase(std::remove_if(wanted.begin(), wanted.end(),
                                [&](const Entity& entity) { return m_.labels[entity.label] == "O"; }),
                 wanted.end());
    const std::vector<int64_t> begins = numbers<int64_t>(output_, "entity begins");
    const std::vector<int64_t> ends = numbers<int64_t>(output_, "entity ends");
    const std::vector<int32_t> labels = numbers<int32_t>(output_, "entity classes");
    const std::vector<float> given = numbers<float>(output_, "entity scores");
    if (begins.size() != wanted.size()) {
      return fail("entities: " + std::to_string(begins.size()) + ", expected " + std::to_string(wanted.size()));
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (begins[i] != wanted[i].begin || ends[i] != wanted[i].end ||
          labels[i] != static_cast<int32_t>(wanted[i].label)) {
        return fail("entities: number " + std::to_string(i) + " is another");
      }
      note("entity scores", std::fabs(double{given[i]} - wanted[i].score / static_cast<double>(wanted[i].count)));
    }
  }

  const DrawnModel& m_;
  const Request& request_;
  const std::vector<int32_t>& ids_;
  const size_t sequence_;
  const std::string kind_;  // of weights that are not as exact as the reference's
  const Output& output_;
  Differences& differences_;
  std::optional<Reference> reference_;
  std::vector<int32_t> types_;
  Numbers hidden_;
  std::string wrong_;
  // Of weights that were rounded: what was expected, how far beyond its bound an output is, and how far rounding moves
  // it.
  std::map<std::string, Numbers> wanted_;
  std::map<std::string, double> beyond_, shaken_;
  bool is_shaken_ = false;
};

}  // namespace

std::string compare(const DrawnModel& model, const Request& request, Weights weights, size_t sequence,
                    const Output& output, Differences& differences) {
  return Comparison(model, request, weights, sequence, output, differences).run();
}

}  // namespace draws
