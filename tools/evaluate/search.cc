// SPDX-License-Identifier: Apache-2.0
#include "evaluate/search.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "evaluate/product.h"

namespace lffn::tools {
namespace {

constexpr size_t kRows = 48;                    // queries whose vectors stay in a core's cache
constexpr size_t kDocuments = size_t{1} << 12;  // how many are in panels at a time

void search_block(const Collection& collection, const Vectors& queries, const Vectors& documents, size_t first_document,
                  int32_t num_threads, std::vector<BestHits>& best) {
  const size_t count = std::min(kDocuments, documents.count() - first_document);
  Panels columns(documents.width, count);
  for (size_t i = 0; i < count; ++i) {
    const float* const vector = documents[first_document + i];
    for (size_t k = 0; k < documents.width; ++k) columns.at(k, i) = vector[k];
  }
  const auto threads = static_cast<size_t>(std::max(num_threads, 1));
  const size_t rows_each = std::min(kRows, (queries.count() + threads - 1) / threads);
  parallel_for((queries.count() + rows_each - 1) / rows_each, num_threads, [&](size_t block) {
    const size_t first = block * rows_each, rows = std::min(rows_each, queries.count() - first);
    std::vector<float> tile(rows * kPanelWidth);
    for (size_t p = 0; p < columns.count(); ++p) {
      panel_product(queries[first], {queries.width, 1}, rows, columns.panel(p), queries.width, tile.data(),
                    kPanelWidth);
      const size_t width = std::min(kPanelWidth, count - p * kPanelWidth);
      for (size_t r = 0; r < rows; ++r) {
        for (size_t j = 0; j < width; ++j) {
          const auto document = static_cast<uint32_t>(first_document + p * kPanelWidth + j);
          if (document != collection.queries[first + r].own) {
            best[first + r].add({tile[r * kPanelWidth + j], document});
          }
        }
      }
    }
  });
}

// Sums in the same order as products of panels do.
float product_of(const float* a, const float* b, size_t width) {
  float sum = 0;
  for (size_t k = 0; k < width; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

void BestHits::add(const Hit& hit) {
  if (heap_.size() == most_) {
    if (most_ == 0 || !comes_before(hit, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), comes_before);
    heap_.pop_back();
  }
  heap_.push_back(hit);
  std::push_heap(heap_.begin(), heap_.end(), comes_before);
}

Hits BestHits::take() {
  std::sort(heap_.begin(), heap_.end(), comes_before);
  return std::move(heap_);
}

std::vector<Hits> search(const Collection& collection, const Vectors& queries, const Vectors& documents, size_t most,
                         bool candidates, int32_t num_threads) {
  std::vector<BestHits> best(queries.count(), BestHits(most));
  if (candidates) {
    for (size_t q = 0; q < best.size(); ++q) {
      for (const uint32_t document : collection.queries[q].candidates) {
        if (document == collection.queries[q].own) continue;
        best[q].add({product_of(queries[q], documents[document], documents.width), document});
      }
    }
  } else {
    for (size_t first = 0; first < documents.count(); first += kDocuments) {
      search_block(collection, queries, documents, first, num_threads, best);
    }
  }
  std::vector<Hits> found;
  found.reserve(best.size());
  for (BestHits& one : best) found.push_back(one.take());
  return found;
}

SearchFigures search_figures(const JudgedQuery& query, double right_from, const Hits& found) {
  constexpr size_t kTop = 10, kFar = 100;
  const auto discount = [](size_t place) { return 1 / std::log2(static_cast<double>(place) + 2); };
  SearchFigures figures = {0, 0, 0};
  for (size_t place = 0; place < std::min(kFar, found.size()); ++place) {
    const uint32_t document = found[place].document;
    const auto judgement =
        std::lower_bound(query.judged.begin(), query.judged.end(), document,
                         [](const Judgement& one, uint32_t wanted) { return one.document < wanted; });
    if (judgement == query.judged.end() || judgement->document != document) continue;
    const bool is_right = judgement->score >= right_from;
    if (place < kTop) figures.ndcg_at_10 += judgement->score * discount(place);
    if (is_right) figures.recall_at_100 += 1;
    if (is_right && place < kTop && figures.reciprocal_rank_at_10 == 0) {
      figures.reciprocal_rank_at_10 = 1 / static_cast<double>(place + 1);
    }
  }
  std::vector<double> gains;
  double rights = 0, ideal = 0;
  for (const Judgement& judgement : query.judged) {
    gains.push_back(judgement.score);
    rights += judgement.score >= right_from ? 1 : 0;
  }
  std::sort(gains.begin(), gains.end(), std::greater<>());
  for (size_t place = 0; place < std::min(kTop, gains.size()); ++place) ideal += gains[place] * discount(place);
  figures.ndcg_at_10 /= ideal;  // above 0: there is a right document
  figures.recall_at_100 /= rights;
  return figures;
}

}  // namespace lffn::tools
