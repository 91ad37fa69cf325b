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

// What texts are compared by. kUsual: a sparse or a late model by these vectors of its, any other one, or one that has
// both, by its embeddings.
enum class VectorKind { kUsual, kDense, kSparse, kLate };

struct RetrievalOptions {
  VectorKind vectors = VectorKind::kUsual;
  lookupffn::RunOptions documents, queries, pairs;  // how texts are read
  bool candidates = false;                          // only those that the collection's file names are put in order
  size_t rerank_depth = 100;                        // how many a second model puts in order
};

// Of one collection, what is kept from model to model.
struct CollectionMemory {
  TokenizedTexts documents, queries;
  std::unordered_map<uint64_t, float> pair_scores;  // of the reranker, for pairs of query and document
};

// What a model finds for each query, the best first. Queries are embedded by `query_model`, which is the model itself,
// or one that check_query_model accepts.
std::vector<Hits> find_documents(const Collection& collection, CollectionMemory& memory, const lookupffn::Model& model,
                                 const lookupffn::Model& query_model, const RetrievalOptions& options,
                                 const std::string& name);

// The first of these in the order of a reranker's scores, the others behind them. The reranker is always the same.
std::vector<Hits> rerank(const Collection& collection, CollectionMemory& memory, const std::vector<Hits>& found,
                         const lookupffn::Model& reranker, const RetrievalOptions& options, const std::string& name);

// Throws InvalidArgument unless embeddings of the two can be multiplied: of queries by one, of documents by the other.
void check_query_model(const lookupffn::Model& query_model, const std::string& query_name,
                       const lookupffn::Model& model, const std::string& name, const RetrievalOptions& options);

// Throws InvalidArgument unless it scores pairs of texts.
void check_reranker(const lookupffn::Model& model, const std::string& name);

std::vector<Figure> figures_of(const Collection& collection, const std::vector<Hits>& found, const std::string& prefix);

// The mean share of the ten first documents that two orders have in common.
double shared_first(const std::vector<Hits>& a, const std::vector<Hits>& b);

}  // namespace lffn::tools
