// SPDX-License-Identifier: Apache-2.0
// What a drawn model gives, in double precision: written from the definitions, simple and slow.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "drawn_model.h"

namespace draws {

using Numbers = std::vector<double>;

class Reference {
 public:
  explicit Reference(const DrawnModel& model) : m_(model), f_(model.family) {}
  // What linear layers read is a little off, as if it were rounded to few bits: for weights, and what they meet, by up
  // to `weight_step` and `input_step` of the largest of the row. It tells how much the results depend on that.
  Reference(const DrawnModel& model, double weight_step, double input_step, uint64_t seed)
      : m_(model), f_(model.family), weight_step_(weight_step), input_step_(input_step), noise_(seed) {}

  // [tokens][d]
  Numbers hidden(const std::vector<int32_t>& ids, const std::vector<int32_t>& types);
  // How near a hash value came to where its code changes, in all that was computed so far.
  double nearest_code() const { return nearest_; }

  Numbers logits(const Numbers& hidden, int64_t token) const;
  Numbers class_scores(const Numbers& hidden, const std::vector<int32_t>& ids) const;
  Numbers token_scores(const Numbers& hidden) const;  // or of answers: [tokens][2]
  // Of a static model its rows, else what a layer makes of hidden states, or these.
  Numbers token_vectors(const Numbers& hidden, const std::vector<int32_t>& ids, bool scaled) const;
  Numbers sparse(const Numbers& hidden) const;  // [vocab]
  // As the files say, or with one pooling and no modules; not scaled.
  Numbers embedding(const Numbers& hidden) const;
  Numbers pooled(const Numbers& hidden, Pool pool) const;
  Numbers static_embedding(const std::vector<int32_t>& ids) const;

 private:
  Numbers static_rows(const std::vector<int32_t>& ids) const;
  Numbers linear(const std::string& name, const Numbers& x, int64_t inputs) const;
  Numbers normed(const std::string& name, const Numbers& x, int64_t size) const;
  Numbers embedded(const std::vector<int32_t>& ids, const std::vector<int32_t>& types) const;
  Numbers attention(const std::string& at, const Layer& layer, const Numbers& x, bool first);
  Numbers feed_forward(const std::string& at, const Layer& layer, const Numbers& x);
  Numbers lookup(const std::string& at, const Layer& layer, const Numbers& x);
  void add_places(const std::string& at, const Numbers& query, const Numbers& key, int64_t head, Numbers& scores) const;
  Numbers place_rows(const std::string& at, const std::string& own, const std::string& shared) const;
  int64_t place(int64_t query, int64_t key) const;
  Numbers through_dense(const Numbers& x) const;
  int64_t d() const { return m_.d; }

  const DrawnModel& m_;
  const Family& f_;
  double nearest_ = std::numeric_limits<double>::infinity();
  double weight_step_ = 0, input_step_ = 0;
  mutable std::mt19937_64 noise_;
};

Numbers scaled(Numbers values);

}  // namespace draws
