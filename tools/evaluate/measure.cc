// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "evaluate/logistic.h"
#include "evaluate/product.h"
#include "evaluate/results.h"
#include "evaluate/retrieval.h"
#include "progress.h"

namespace lffn::tools {
namespace {

constexpr size_t kRows = 96;  // test texts whose vectors stay in a core's cache

Vectors chosen(const Vectors& all, const std::vector<size_t>& which) {
  Vectors result;
  result.width = all.width;
  result.numbers.reserve(which.size() * all.width);
  for (const size_t i : which) result.numbers.insert(result.numbers.end(), all[i], all[i] + all.width);
  return result;
}

Panels as_columns(const Vectors& vectors) {
  Panels panels(vectors.width, vectors.count());
  for (size_t i = 0; i < vectors.count(); ++i) {
    for (size_t k = 0; k < vectors.width; ++k) panels.at(k, i) = vectors[i][k];
  }
  return panels;
}

size_t blocks_of(const Vectors& test) { return (test.count() + kRows - 1) / kRows; }

// Whether the nearest training text, the first one among equals, has the right class.
std::vector<double> nearest_hits(const Labels& labels, const Vectors& train, const Vectors& test, int32_t num_threads) {
  const Panels columns = as_columns(train);
  std::vector<double> hits(test.count());
  parallel_for(blocks_of(test), num_threads, [&](size_t block) {
    const size_t first = block * kRows, rows = std::min(kRows, test.count() - first);
    std::vector<float> best(rows, -INFINITY), tile(rows * kPanelWidth);
    std::vector<size_t> nearest(rows);
    for (size_t p = 0; p < columns.count(); ++p) {
      panel_product(test[first], {test.width, 1}, rows, columns.panel(p), test.width, tile.data(), kPanelWidth);
      const size_t width = std::min(kPanelWidth, train.count() - p * kPanelWidth);
      for (size_t r = 0; r < rows; ++r) {
        for (size_t j = 0; j < width; ++j) {
          if (tile[r * kPanelWidth + j] <= best[r]) continue;
          best[r] = tile[r * kPanelWidth + j];
          nearest[r] = p * kPanelWidth + j;
        }
      }
    }
    for (size_t r = 0; r < rows; ++r) {
      hits[first + r] = labels.train_classes[nearest[r]] == labels.test_classes[first + r] ? 1 : 0;
    }
  });
  return hits;
}

Measured measure_labels(const Labels& labels, const Vectors& texts, double strength, int32_t num_threads,
                        const std::string& model) {
  const Vectors train = chosen(texts, labels.train), test = chosen(texts, labels.test);
  Measured result;
  {
    const Progress progress(model + ": nearest neighbours in " + labels.train_file);
    result.figures.push_back(mean_figure("nearest", nearest_hits(labels, train, test, num_threads)));
  }
  const Progress progress(model + ": logistic regression on " + labels.train_file);
  const Logistic classifier = fit_logistic(train, labels.train_classes, labels.classes, strength, num_threads);
  if (!classifier.converged) {
    std::fprintf(stderr, "lookupffn: %s: the logistic regression has not converged after %d steps\n",
                 labels.train_file.c_str(), classifier.steps);
  }
  const std::vector<int32_t> classes = predict(classifier, test, num_threads);
  std::vector<double> hits(classes.size());
  for (size_t i = 0; i < hits.size(); ++i) hits[i] = classes[i] == labels.test_classes[i] ? 1 : 0;
  result.figures.push_back(mean_figure("logistic", std::move(hits)));
  return result;
}

Measured measure_pairs(const Pairs& pairs, const Vectors& texts) {
  Measured result;
  for (size_t i = 0; i < pairs.scores.size(); ++i) {
    result.cosines.push_back(cosine(texts[pairs.a[i]], texts[pairs.b[i]], texts.width));
  }
  result.figures = {spearman_figure(result.cosines, pairs.scores), pearson_figure(result.cosines, pairs.scores)};
  return result;
}

Measured measure_ranking(const Ranking& ranking, const Embedded& embedded) {
  Measured result;
  std::vector<double> precisions, reciprocals;
  for (const Query& query : ranking.queries) {
    std::vector<double> cosines;
    for (const size_t candidate : query.candidates) {
      cosines.push_back(cosine(embedded.queries[query.text], embedded.documents[candidate], embedded.documents.width));
    }
    const RankFigures figures = rank_figures(cosines, query.right);
    precisions.push_back(figures.average_precision);
    reciprocals.push_back(figures.reciprocal_rank);
    result.cosines.insert(result.cosines.end(), cosines.begin(), cosines.end());
  }
  result.figures = {mean_figure("MAP", std::move(precisions)), mean_figure("MRR", std::move(reciprocals))};
  return result;
}

// The sums of two lists of numbers from which their correlation follows.
struct Sums {
  double count = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  void add(double x, double y) {
    ++count;
    a += x;
    b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  void add(const Sums& other) {
    count += other.count;
    a += other.a;
    b += other.b;
    aa += other.aa;
    bb += other.bb;
    ab += other.ab;
  }
  double correlation() const {
    const double x = aa - a * a / count, y = bb - b * b / count;
    if (!(x > 1e-12 * aa) || !(y > 1e-12 * bb)) return NAN;
    return std::clamp((ab - a * b / count) / std::sqrt(x * y), -1.0, 1.0);
  }
};

// The correlation of the cosines of all test texts with all training texts.
double label_agreement(const Labels& labels, const Vectors& a, const Vectors& b, int32_t num_threads) {
  const Vectors a_test = chosen(a, labels.test), b_test = chosen(b, labels.test);
  const Panels a_columns = as_columns(chosen(a, labels.train)), b_columns = as_columns(chosen(b, labels.train));
  std::vector<Sums> parts(blocks_of(a_test));
  parallel_for(parts.size(), num_threads, [&](size_t block) {
    const size_t first = block * kRows, rows = std::min(kRows, a_test.count() - first);
    std::vector<float> a_tile(rows * kPanelWidth), b_tile(rows * kPanelWidth);
    for (size_t p = 0; p < a_columns.count(); ++p) {
      panel_product(a_test[first], {a.width, 1}, rows, a_columns.panel(p), a.width, a_tile.data(), kPanelWidth);
      panel_product(b_test[first], {b.width, 1}, rows, b_columns.panel(p), b.width, b_tile.data(), kPanelWidth);
      const size_t width = std::min(kPanelWidth, labels.train.size() - p * kPanelWidth);
      for (size_t r = 0; r < rows; ++r) {
        for (size_t j = 0; j < width; ++j) {
          parts[block].add(static_cast<double>(a_tile[r * kPanelWidth + j]),
                           static_cast<double>(b_tile[r * kPanelWidth + j]));
        }
      }
    }
  });
  Sums all;
  for (const Sums& part : parts) all.add(part);
  return all.correlation();
}

}  // namespace

std::vector<Measured> measure(const Cases& cases, const Embedded& embedded, const std::string& model, double strength,
                              int32_t num_threads) {
  std::vector<Measured> result;
  for (const Pairs& pairs : cases.pairs) result.push_back(measure_pairs(pairs, embedded.texts));
  for (const Labels& labels : cases.labels) {
    result.push_back(measure_labels(labels, embedded.texts, strength, num_threads, model));
  }
  for (const Ranking& ranking : cases.rankings) result.push_back(measure_ranking(ranking, embedded));
  return result;
}

std::vector<double> agreements(const Cases& cases, const Embedded& a_embedded, const std::vector<Measured>& a,
                               const Embedded& b_embedded, const std::vector<Measured>& b, int32_t num_threads) {
  std::vector<double> result;
  const size_t labels_begin = cases.pairs.size(), labels_end = labels_begin + cases.labels.size();
  const size_t collections_begin = labels_end + cases.rankings.size();
  for (size_t i = 0; i < a.size(); ++i) {
    if (i >= collections_begin) {
      result.push_back(shared_first(a[i].found, b[i].found));
      continue;
    }
    if (i >= labels_begin && i < labels_end) {
      const Labels& labels = cases.labels[i - labels_begin];
      result.push_back(label_agreement(labels, a_embedded.texts, b_embedded.texts, num_threads));
      continue;
    }
    const Figure r = pearson_figure(a[i].cosines, b[i].cosines);
    result.push_back(r.value(Counts(r.cases, 1)));
  }
  return result;
}

}  // namespace lffn::tools
