// SPDX-License-Identifier: Apache-2.0
// Which documents of a collection come first for each query, and how good that order is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluate/cases.h"
#include "evaluate/collection.h"

namespace lffn::tools {

struct Hit {
  float score;
  uint32_t document;
};

// Orders hits by their scores, the best first; equal ones in the order of the collection.
constexpr bool comes_before(const Hit& a, const Hit& b) {
  return a.score > b.score || (a.score == b.score && a.document < b.document);
}

// The documents that were found for a query, the best first.
using Hits = std::vector<Hit>;

// The best documents seen so far, at most so many.
class BestHits {
 public:
  explicit BestHits(size_t most) : most_(most) {}
  void add(const Hit& hit);
  Hits take();

 private:
  size_t most_;
  Hits heap_;  // the worst first
};

// For each query the documents whose vectors have the largest dot products with its own, at most so many: among all
// documents, or with `candidates` among the query's. The document with the query's own id is never found.
std::vector<Hits> search(const Collection& collection, const Vectors& queries, const Vectors& documents, size_t most,
                         bool candidates, int32_t num_threads);

// Of one query. Gains of nDCG are the scores, and the ideal order is that of all judged documents; a right document has
// a score of `right_from` or more.
struct SearchFigures {
  double ndcg_at_10, recall_at_100, reciprocal_rank_at_10;
};
SearchFigures search_figures(const JudgedQuery& query, double right_from, const Hits& found);

}  // namespace lffn::tools
