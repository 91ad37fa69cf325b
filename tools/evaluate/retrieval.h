// SPDX-License-Identifier: Apache-2.0
// What models find in collections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "evaluate/collection.h"
#include "evaluate/results.h"
#include "evaluate/search.h"
#include "evaluate/tokens.h"
#include "lookupffn/lookupffn.hpp"

namespace lffn::tools {

// Which vectors of texts are compared. kUsual: a sparse model's sparse vectors, a late model's late ones; embeddings
// for any other model, and for one that has both.
enum class VectorKind { kUsual, kDense, kSparse, kLate };

struct RetrievalOptions {
  VectorKind vectors = VectorKind::kUsual;
  lookupffn::RunOptions documents, queries, pairs;  // how texts are read
  bool candidates = false;                          // only the candidates in the collection's file are ranked
  size_t rerank_depth = 100;                        // how many documents a second model reorders
};

// What is kept of one collection from model to model.
struct CollectionMemory {
  TokenizedTexts documents, queries;
  std::unordered_map<uint64_t, float> pair_scores;  // of the reranker, for pairs of query and document
};

// What a model finds for each query, the best first. Queries are embedded by `query_model`, which is the model itself,
// or one that check_query_model accepts.
std::vector<Hits> find_documents(const Collection& collection, CollectionMemory& memory, const lookupffn::Model& model,
                                 const lookupffn::Model& query_model, const RetrievalOptions& options,
                                 const std::string& name);

// Puts the first documents in the order of a reranker's scores, the others behind them. All calls must use the same
// reranker.
std::vector<Hits> rerank(const Collection& collection, CollectionMemory& memory, const std::vector<Hits>& found,
                         const lookupffn::Model& reranker, const RetrievalOptions& options, const std::string& name);

// Throws InvalidArgument unless one model's query embeddings can be compared with the other's document embeddings.
void check_query_model(const lookupffn::Model& query_model, const std::string& query_name,
                       const lookupffn::Model& model, const std::string& name, const RetrievalOptions& options);

// Throws InvalidArgument unless the model scores pairs of texts.
void check_reranker(const lookupffn::Model& model, const std::string& name);

std::vector<Figure> figures_of(const Collection& collection, const std::vector<Hits>& found, const std::string& prefix);

// The mean share of the ten first documents that two orders have in common.
double shared_first(const std::vector<Hits>& a, const std::vector<Hits>& b);

}  // namespace lffn::tools
