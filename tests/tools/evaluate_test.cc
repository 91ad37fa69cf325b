// SPDX-License-Identifier: Apache-2.0
// The figures of `lookupffn evaluate` against ones computed by hand, and its products and classifier.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/figures.h"
#include "evaluate/logistic.h"
#include "evaluate/product.h"
#include "evaluate/search.h"
#include "random_tokens.h"

namespace lffn::tools {
namespace {

double of_all(const Figure& figure) { return figure.value(Counts(figure.cases, 1)); }

TEST(Figures, SpearmanGivesEqualNumbersTheirMeanRank) {
  // Ranks 1, 2.5, 2.5, 4 and 1.5, 1.5, 3, 4: covariance 3.75, variances 4.5 and 4.5.
  EXPECT_NEAR(of_all(spearman_figure({1, 2, 2, 3}, {5, 5, 6, 9})), 3.75 / 4.5, 1e-15);
  EXPECT_NEAR(of_all(spearman_figure({1, 2, 3, 40}, {0.1, 0.2, 0.3, 0.31})), 1, 1e-15);
  EXPECT_NEAR(of_all(spearman_figure({1, 2, 3}, {3, 2, 1})), -1, 1e-15);
}

TEST(Figures, CountsAreAsRepeatedCases) {
  const std::vector<double> x = {3, 1, 2, 2}, y = {1, 2, 5, 4};
  const Counts counts = {2, 0, 1, 3};
  const std::vector<double> x_repeated = {3, 3, 2, 2, 2, 2}, y_repeated = {1, 1, 5, 4, 4, 4};
  EXPECT_NEAR(spearman_figure(x, y).value(counts), of_all(spearman_figure(x_repeated, y_repeated)), 1e-15);
  EXPECT_NEAR(pearson_figure(x, y).value(counts), of_all(pearson_figure(x_repeated, y_repeated)), 1e-15);
  EXPECT_NEAR(mean_figure("mean", x).value(counts), 14.0 / 6, 1e-15);
}

TEST(Figures, PearsonByHand) {
  EXPECT_NEAR(of_all(pearson_figure({1, 2, 3}, {1, 3, 2})), 0.5, 1e-15);
  EXPECT_TRUE(std::isnan(of_all(pearson_figure({0.1, 0.1, 0.1}, {1, 2, 3}))));
  EXPECT_TRUE(std::isnan(of_all(spearman_figure({1, 2, 3}, {7, 7, 7}))));
  EXPECT_TRUE(std::isnan(of_all(pearson_figure({1}, {2}))));
}

TEST(Figures, RankingByHand) {
  RankFigures figures = rank_figures({0.9, 0.8, 0.7, 0.6}, {0, 1, 0, 1});
  EXPECT_NEAR(figures.average_precision, (0.5 + 0.5) / 2, 1e-15);
  EXPECT_NEAR(figures.reciprocal_rank, 0.5, 1e-15);
  figures = rank_figures({0.1, 0.5, 0.3}, {1, 1, 0});
  EXPECT_NEAR(figures.average_precision, (1 + 2.0 / 3) / 2, 1e-15);
  EXPECT_EQ(figures.reciprocal_rank, 1);
}

TEST(Figures, EqualScoresAreTheMeanOfAllOrders) {
  // Right first: precision 1, place 1; right second: 1/2 and 1/2.
  RankFigures figures = rank_figures({1, 1}, {1, 0});
  EXPECT_NEAR(figures.average_precision, 0.75, 1e-15);
  EXPECT_NEAR(figures.reciprocal_rank, 0.75, 1e-15);
  // Behind a wrong one, two right and a wrong one, in three orders: places 2 3, 2 4, 3 4.
  figures = rank_figures({2, 1, 1, 1}, {0, 1, 0, 1});
  EXPECT_NEAR(figures.average_precision, ((1.0 / 2 + 2.0 / 3) + (1.0 / 2 + 2.0 / 4) + (1.0 / 3 + 2.0 / 4)) / 6, 1e-15);
  EXPECT_NEAR(figures.reciprocal_rank, (1.0 / 2 + 1.0 / 2 + 1.0 / 3) / 3, 1e-15);
}

TEST(Figures, IntervalsAreThoseOfAMean) {
  std::vector<double> hits(1000, 0);
  for (size_t i = 0; i < 500; ++i) hits[i] = 1;
  const Estimate found = estimate(mean_figure("hits", hits), 4000, 2);
  EXPECT_EQ(found.value, 0.5);
  EXPECT_NEAR(found.low, 0.5 - 1.96 * std::sqrt(0.25 / 1000), 0.003);
  EXPECT_NEAR(found.high, 0.5 + 1.96 * std::sqrt(0.25 / 1000), 0.003);
  const Estimate alone = estimate(mean_figure("hits", hits), 4000, 1);
  EXPECT_EQ(alone.low, found.low);
  EXPECT_EQ(alone.high, found.high);
  EXPECT_TRUE(std::isnan(estimate(mean_figure("hits", hits), 0, 1).low));
  const Figure same = difference_figure(mean_figure("hits", hits), mean_figure("hits", hits));
  EXPECT_EQ(estimate(same, 100, 1).high, 0);
}

TEST(Product, KernelsAgreeToTheBitAndWithTheFormula) {
  const size_t depth = 37, columns = 21;
  for (const size_t rows : {size_t{1}, size_t{12}, size_t{29}}) {
    const std::vector<float> left = normal_numbers(static_cast<int64_t>(rows * depth), 1.0f, 1);
    const std::vector<float> right = normal_numbers(static_cast<int64_t>(depth * columns), 1.0f, 2);
    Panels panels(depth, columns);
    for (size_t k = 0; k < depth; ++k) {
      for (size_t j = 0; j < columns; ++j) panels.at(k, j) = right[k * columns + j];
    }
    for (size_t p = 0; p < panels.count(); ++p) {
      std::vector<float> expected(rows * kPanelWidth);
      for (size_t m = 0; m < rows; ++m) {
        for (size_t j = 0; j < kPanelWidth && p * kPanelWidth + j < columns; ++j) {
          float sum = 0;
          for (size_t k = 0; k < depth; ++k) sum += left[m * depth + k] * right[k * columns + p * kPanelWidth + j];
          expected[m * kPanelWidth + j] = sum;
        }
      }
      for (const std::string& kernel : product_kernels()) {
        std::vector<float> found(rows * kPanelWidth);
        panel_product(kernel, left.data(), {depth, 1}, rows, panels.panel(p), depth, found.data(), kPanelWidth);
        EXPECT_EQ(found, expected) << kernel << " " << rows;
      }
    }
  }
}

TEST(Product, LoopsPassExceptionsOn) {
  EXPECT_THROW(parallel_for(100, 2,
                            [](size_t i) {
                              if (i == 50) throw std::runtime_error("fifty");
                            }),
               std::runtime_error);
}

TEST(Search, EqualScoresComeInTheOrderOfTheCollection) {
  BestHits best(3);
  for (const Hit& hit : {Hit{1, 7}, Hit{2, 5}, Hit{1, 3}, Hit{2, 9}, Hit{1, 1}}) best.add(hit);
  const Hits found = best.take();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].document, 5u);
  EXPECT_EQ(found[1].document, 9u);
  EXPECT_EQ(found[2].document, 1u);
}

TEST(Search, FiguresByHand) {
  JudgedQuery query;
  query.judged = {{2, 3}, {4, 0}, {6, 1}, {kNowhere, 2}};
  const double second = 1 / std::log2(3.0), third = 0.5;
  // Judged wrong, not judged, the good one, and the middling one behind 97 others.
  Hits found = {{9, 4}, {8, 0}, {7, 2}};
  for (uint32_t i = 0; i < 96; ++i) found.push_back({0, 10 + i});
  found.push_back({-1, 6});
  SearchFigures figures = search_figures(query, 1, found);
  EXPECT_NEAR(figures.ndcg_at_10, 3 * third / (3 + 2 * second + 1 * third), 1e-15);
  EXPECT_NEAR(figures.recall_at_100, 2.0 / 3, 1e-15);
  EXPECT_NEAR(figures.reciprocal_rank_at_10, 1.0 / 3, 1e-15);
  found.insert(found.begin() + 50, {-1, 99999});
  EXPECT_NEAR(search_figures(query, 1, found).recall_at_100, 1.0 / 3, 1e-15) << "place 101 is too far";
  figures = search_figures(query, 2, found);
  EXPECT_NEAR(figures.recall_at_100, 1.0 / 2, 1e-15) << "a score of 1 is not right now";
  EXPECT_EQ(search_figures(query, 1, {}).ndcg_at_10, 0);
}

TEST(Search, FindsTheNearestOfSeveralBlocksWithAnyNumberOfThreads) {
  constexpr size_t kWidth = 24, kCount = 9001;
  Vectors documents, queries;
  documents.width = queries.width = kWidth;
  documents.numbers = normal_numbers(kCount * kWidth, 1, 3);
  queries.numbers = normal_numbers(61 * kWidth, 1, 4);
  Collection collection;
  collection.queries.resize(queries.count());
  collection.queries[5].own = 4200;
  const std::vector<Hits> found = search(collection, queries, documents, 20, false, 2);
  for (size_t q = 0; q < queries.count(); ++q) {
    collection.queries[q].candidates.resize(kCount);
    for (uint32_t i = 0; i < kCount; ++i) collection.queries[q].candidates[i] = i;
  }
  const std::vector<Hits> one_by_one = search(collection, queries, documents, 20, true, 1);
  const std::vector<Hits> one_thread = search(collection, queries, documents, 20, false, 1);
  for (size_t q = 0; q < queries.count(); ++q) {
    ASSERT_EQ(found[q].size(), 20u);
    for (size_t i = 0; i < found[q].size(); ++i) {
      EXPECT_EQ(found[q][i].document, one_thread[q][i].document);
      EXPECT_EQ(found[q][i].document, one_by_one[q][i].document);
      EXPECT_EQ(found[q][i].score, one_by_one[q][i].score);
    }
  }
}

// The gradient of the regression in plain loops: at the minimum it is zero.
double largest_gradient(const Vectors& x, const std::vector<int32_t>& right, const Logistic& model, double strength) {
  const size_t row = x.width + 1;
  std::vector<double> gradient(model.weights.size());
  for (size_t i = 0; i < x.count(); ++i) {
    std::vector<double> shares(model.classes);
    double sum = 0;
    for (size_t c = 0; c < model.classes; ++c) {
      double score = model.weights[c * row + x.width];
      for (size_t k = 0; k < x.width; ++k) score += model.weights[c * row + k] * x[i][k];
      sum += shares[c] = std::exp(score);
    }
    for (size_t c = 0; c < model.classes; ++c) {
      const double error = shares[c] / sum - (static_cast<size_t>(right[i]) == c ? 1 : 0);
      for (size_t k = 0; k < row; ++k) gradient[c * row + k] += error * (k < x.width ? x[i][k] : 1.0f);
    }
  }
  double largest = 0;
  for (size_t i = 0; i < gradient.size(); ++i) {
    const double shrink = i % row < x.width ? model.weights[i] / strength : 0;
    largest = std::max(largest, std::abs(gradient[i] + shrink) / static_cast<double>(x.count()));
  }
  return largest;
}

TEST(LogisticRegression, ReachesTheMinimumWithAnyNumberOfThreads) {
  Vectors x;
  x.width = 20;
  x.numbers = normal_numbers(20 * 700, 0.3f, 5);
  std::vector<int32_t> right(x.count());
  for (size_t i = 0; i < right.size(); ++i) {
    right[i] = static_cast<int32_t>(i % 3);
    x.numbers[i * x.width + static_cast<size_t>(right[i])] += 0.3f;
    x.numbers[i * x.width + 7] += 2.0f;  // what all have in common
  }
  const Logistic found = fit_logistic(x, right, 3, 10, 1);
  EXPECT_TRUE(found.converged);
  EXPECT_LT(largest_gradient(x, right, found, 10), 1e-5);
  EXPECT_EQ(fit_logistic(x, right, 3, 10, 2).weights, found.weights);
  EXPECT_EQ(predict(found, x, 1), predict(found, x, 2));
}

TEST(LogisticRegression, TellsSeparableClassesApart) {
  Vectors x;
  x.width = 2;
  std::vector<int32_t> right;
  for (int i = 0; i < 40; ++i) {
    const float side = i % 2 == 0 ? 1.0f : -1.0f;
    x.numbers.insert(x.numbers.end(), {side, 0.1f * static_cast<float>(i)});
    right.push_back(i % 2);
  }
  const Logistic found = fit_logistic(x, right, 2, 10, 1);
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(predict(found, x, 1), right);
}

}  // namespace
}  // namespace lffn::tools
