// SPDX-License-Identifier: Apache-2.0
// What is made of hidden states, and static models.
#include <algorithm>
#include <cmath>

#include "reference.h"
#include "reference_math.h"

namespace draws {

Numbers scaled(Numbers values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  const double length = std::max(std::sqrt(squares), 1e-12);
  for (double& value : values) value /= length;
  return values;
}

Numbers Reference::logits(const Numbers& hidden, int64_t token) const {
  Numbers x = columns(Numbers(hidden.begin() + token * d(), hidden.begin() + (token + 1) * d()), d(), 0, d());
  const Tensor* bias = nullptr;
  if (!f_.lm_dense.empty()) {
    x = normed(f_.lm_norm, activated(f_.lm_acts_as_layers ? m_.act : Act::kGelu, linear(f_.lm_dense, x, d())), m_.e);
    bias = &m_.tensor(f_.lm_bias);
  }
  return products(m_.tensor(f_.words + ".weight"), bias, x, m_.e);
}

Numbers Reference::through_dense(const Numbers& x) const {
  if (f_.class_dense.empty()) return x;
  const Numbers y = activated(m_.class_act, linear(f_.class_dense, x, d()));
  return f_.class_norm.empty() ? y : normed(f_.class_norm, y, d());
}

Numbers Reference::class_scores(const Numbers& hidden, const std::vector<int32_t>& ids) const {
  const auto n = static_cast<int64_t>(ids.size());
  const auto mean = [&](const Numbers& rows) { return pooled(rows, Pool::kMean); };
  const auto row = [&](int64_t t) { return Numbers(hidden.begin() + t * d(), hidden.begin() + (t + 1) * d()); };
  switch (m_.class_pooling) {
    case ClassPooling::kMean:
      return linear(f_.class_out, through_dense(mean(hidden)), d());
    case ClassPooling::kLate:
      return linear(f_.class_out, mean(through_dense(hidden)), d());
    case ClassPooling::kLast: {
      int64_t last = n - 1;
      while (last > 0 && ids[at(last)] == m_.pad) --last;
      return linear(f_.class_out, through_dense(row(last)), d());
    }
    default:
      return linear(f_.class_out, through_dense(row(0)), d());
  }
}

Numbers Reference::token_scores(const Numbers& hidden) const {
  const std::string out = m_.head == Head::kAnswers ? "qa_outputs" : f_.token_out;
  return linear(out, f_.tokens_through_dense ? through_dense(hidden) : hidden, d());
}

Numbers Reference::token_vectors(const Numbers& hidden, const std::vector<int32_t>& ids, bool scales) const {
  const bool has_layer = m_.head == Head::kVectors;
  const Numbers rows = m_.head == Head::kStatic ? static_rows(ids) : has_layer ? linear("linear", hidden, d()) : hidden;
  if (!scales) return rows;
  Numbers result;
  const int64_t size = has_layer ? m_.modules[0].outputs : d();
  for (int64_t r = 0; r < static_cast<int64_t>(rows.size()); r += size) {
    const Numbers one = scaled(Numbers(rows.begin() + r, rows.begin() + r + size));
    result.insert(result.end(), one.begin(), one.end());
  }
  return result;
}

Numbers Reference::sparse(const Numbers& hidden) const {
  Numbers weights(at(m_.vocab));
  for (int64_t t = 0; t < static_cast<int64_t>(hidden.size()) / d(); ++t) {
    const Numbers scores = logits(hidden, t);
    for (size_t w = 0; w < weights.size(); ++w) {
      double weight = std::log1p(std::max(0.0, scores[w]));
      if (m_.twice) weight = std::log1p(weight);
      weights[w] = m_.sums ? weights[w] + weight : std::max(weights[w], weight);
    }
  }
  return weights;
}

Numbers Reference::pooled(const Numbers& hidden, Pool pool) const {
  const int64_t n = static_cast<int64_t>(hidden.size()) / d();
  Numbers result(at(d()));
  for (int64_t i = 0; i < d(); ++i) {
    double sum = 0, weighted = 0, largest = hidden[at(i)];
    for (int64_t t = 0; t < n; ++t) {
      const double value = hidden[at(t * d() + i)];
      sum += value;
      weighted += value * static_cast<double>(t + 1);
      largest = std::max(largest, value);
    }
    const auto count = static_cast<double>(n);
    result[at(i)] = pool == Pool::kFirst      ? hidden[at(i)]
                    : pool == Pool::kLast     ? hidden[at((n - 1) * d() + i)]
                    : pool == Pool::kMax      ? largest
                    : pool == Pool::kMean     ? sum / count
                    : pool == Pool::kMeanSqrt ? sum / std::sqrt(count)
                                              : weighted / (count * (count + 1) / 2);
  }
  return result;
}

Numbers Reference::embedding(const Numbers& hidden) const {
  Numbers x;
  for (const Pool pool : {Pool::kFirst, Pool::kMax, Pool::kMean, Pool::kMeanSqrt, Pool::kWeighted, Pool::kLast}) {
    if (std::find(m_.poolings.begin(), m_.poolings.end(), pool) == m_.poolings.end()) continue;
    const Numbers one = pooled(hidden, pool);
    x.insert(x.end(), one.begin(), one.end());
  }
  for (size_t i = 0; i < m_.modules.size(); ++i) {
    const Dense& dense = m_.modules[i];
    const std::map<std::string, Tensor>& tensors = m_.module_tensors[i];
    const auto bias = tensors.find("linear.bias");
    x = activated(dense.act, products(tensors.at("linear.weight"), bias == tensors.end() ? nullptr : &bias->second, x,
                                      dense.inputs));
  }
  return x;
}

Numbers Reference::static_rows(const std::vector<int32_t>& ids) const {
  Numbers result;
  const Tensor& rows = m_.tensor("embeddings");
  for (const int32_t id : ids) {
    const int64_t row = m_.has_mapping ? m_.mapping[at(id)] : id;
    const double weight = m_.has_weights ? static_cast<double>(m_.tensor("weights").values[at(id)]) : 1;
    for (int64_t i = 0; i < d(); ++i) result.push_back(weight * static_cast<double>(rows.values[at(row * d() + i)]));
  }
  return result;
}

Numbers Reference::static_embedding(const std::vector<int32_t>& ids) const {
  return pooled(static_rows(ids), Pool::kMean);
}

}  // namespace draws
