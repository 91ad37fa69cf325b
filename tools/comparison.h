// SPDX-License-Identifier: Apache-2.0
// How well texts answer a query, by the comparison that the model is made for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "text_options.h"

namespace lffn::tools {

class Comparison {
 public:
  enum class Kind {
    kDense,   // cosines of embeddings
    kSparse,  // products of sparse vectors
    kLate,    // lffn_max_sim
    kPairs    // class scores of query and text
  };
  // As `evaluate` chooses: a model with both sparse and late vectors is compared by its embeddings.
  static Kind kind_of(const lookupffn::Model& model);

  // `texts` says how texts are read, `query` how the query is; a reranker reads pairs as `query` says. If no prompt is
  // chosen, the model's prompts for queries and documents are used; throws InvalidArgument if the kind permits no
  // others. The model must outlive the object.
  Comparison(const lookupffn::Model& model, Kind kind, const std::string& query_text, lookupffn::RunOptions query,
             lookupffn::RunOptions texts);
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  // The scores of the input's next texts. A text that cannot be run has none, and is reported to the input.
  std::vector<std::optional<float>> scores(const std::vector<TextRecord>& records, TextInput& from);

 private:
  void read_query(const lookupffn::RunOptions& how);
  std::vector<float> scores_of() const;
  std::vector<float> cosines() const;
  std::vector<float> sparse_products() const;
  std::vector<float> max_sims() const;

  const lookupffn::Model& model_;
  const Kind kind_;
  const std::string query_;
  lookupffn::RunOptions texts_;  // what args_ refers to
  lffn_model_run_args args_ = {};
  lookupffn::Result result_;
  // The query's vectors: one of these.
  std::vector<float> dense_;
  std::vector<float> weights_;  // of each token of the vocabulary
  lookupffn::LateVectors late_;
};

}  // namespace lffn::tools
