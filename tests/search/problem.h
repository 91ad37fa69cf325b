// SPDX-License-Identifier: Apache-2.0
// Drawn searches, and what comparing all vectors in plain loops finds.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "tests/search/guarded.h"

namespace search_tests {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Lists {
  std::vector<int64_t> counts, ids;
  std::vector<float> scores;

  // To the bit, NaN included.
  bool operator==(const Lists& other) const {
    return counts == other.counts && ids == other.ids && scores.size() == other.scores.size() &&
           (scores.empty() || std::memcmp(scores.data(), other.scores.data(), scores.size() * sizeof(float)) == 0);
  }
};

// Arguments with everything that they point to.
struct Problem {
  int32_t kind = LFFN_VECTORS_F32, measure = LFFN_MEASURE_DOT;
  int64_t size = 0, n_queries = 0, n_vectors = 0, k = 1;
  int64_t query_stride = 0, vector_stride = 0;
  Guarded queries, vectors;
  std::vector<float> query_scales, vector_scales;
  float query_scale = 0, vector_scale = 0;
  std::vector<int64_t> ids, candidates, candidate_offsets;
  int64_t first_id = 0;
  std::vector<uint8_t> taking_part;
  bool has_candidates = false;

  int64_t vector_bytes() const {
    return kind == LFFN_VECTORS_F32 ? 4 * size : kind == LFFN_VECTORS_INT8 ? size : (size + 7) / 8;
  }
  int64_t step(int64_t stride) const { return stride == 0 ? vector_bytes() : stride; }
  void make_room() {
    const auto bytes = [&](int64_t count, int64_t stride) {
      return count == 0 ? 0 : (count - 1) * step(stride) + vector_bytes();
    };
    queries = Guarded(static_cast<size_t>(bytes(n_queries, query_stride)));
    vectors = Guarded(static_cast<size_t>(bytes(n_vectors, vector_stride)));
  }
  uint8_t* query(int64_t q) const { return queries.data() + q * step(query_stride); }
  uint8_t* vector(int64_t v) const { return vectors.data() + v * step(vector_stride); }
  int64_t id(int64_t v) const { return ids.empty() ? first_id + v : ids[static_cast<size_t>(v)]; }

  // The members that lists and places come on top of.
  lffn_top_k_args args() const {
    lffn_top_k_args args;
    lffn_top_k_args_init(&args);
    args.kind = kind;
    args.measure = measure;
    args.size = size;
    args.queries = queries.data();
    args.query_stride = query_stride;
    args.n_queries = n_queries;
    args.vectors = vectors.data();
    args.vector_stride = vector_stride;
    args.n_vectors = n_vectors;
    args.query_scales = query_scales.empty() ? nullptr : query_scales.data();
    args.vector_scales = vector_scales.empty() ? nullptr : vector_scales.data();
    args.query_scale = query_scale;
    args.vector_scale = vector_scale;
    args.vector_ids = ids.empty() ? nullptr : ids.data();
    args.first_id = first_id;
    args.taking_part = taking_part.empty() ? nullptr : taking_part.data();
    static const int64_t kNone = 0;
    if (has_candidates) args.candidates = candidates.empty() ? &kNone : candidates.data();
    args.n_candidates = static_cast<int64_t>(candidates.size());
    if (!candidate_offsets.empty()) args.candidate_offsets = candidate_offsets.data();
    args.k = k;
    return args;
  }
};

inline Lists places(const lffn_top_k_args& args) {
  const auto all = static_cast<size_t>(args.n_queries * args.k);
  return {std::vector<int64_t>(static_cast<size_t>(args.n_queries), -7), std::vector<int64_t>(all, -7),
          std::vector<float>(all, -7)};
}

inline void point(lffn_top_k_args& args, Lists& lists) {
  args.counts = lists.counts.data();
  args.ids = lists.ids.data();
  args.scores = lists.scores.data();
  args.capacity = static_cast<int64_t>(lists.ids.size());
}

inline Lists run(lffn_top_k_args args) {
  Lists found = places(args);
  point(args, found);
  EXPECT_EQ(lffn_top_k(&args), LFFN_OK) << lffn_last_error();
  return found;
}

// The members that say which vectors take part, for one query or for vectors from one on.
inline std::vector<int64_t> members(const Problem& problem, int64_t q) {
  std::vector<int64_t> listed;
  if (!problem.has_candidates) {
    for (int64_t v = 0; v < problem.n_vectors; ++v) listed.push_back(v);
  } else {
    const bool own = !problem.candidate_offsets.empty();
    const auto at = static_cast<size_t>(q);
    const int64_t begin = own ? problem.candidate_offsets[at] : 0;
    const int64_t end = own ? problem.candidate_offsets[at + 1] : static_cast<int64_t>(problem.candidates.size());
    listed.assign(problem.candidates.begin() + begin, problem.candidates.begin() + end);
  }
  std::vector<int64_t> taking;
  for (const int64_t v : listed) {
    const auto byte = static_cast<size_t>(v / 8);
    if (problem.taking_part.empty() || (problem.taking_part[byte] & 1 << (v % 8)) != 0) taking.push_back(v);
  }
  return taking;
}

struct Score {
  double exact;
  double tolerance;  // 0: to the bit
};

// The score of a pair by its definition. Of whole numbers it is known to the bit.
inline Score defined(const Problem& problem, int64_t q, int64_t v) {
  const uint8_t *a = problem.query(q), *b = problem.vector(v);
  if (problem.kind == LFFN_VECTORS_BITS) {
    int64_t different = 0;
    for (int64_t i = 0; i < problem.size; ++i) different += ((a[i / 8] ^ b[i / 8]) >> (7 - i % 8)) & 1;
    return {static_cast<double>(different), 0};
  }
  const bool cosine = problem.measure == LFFN_MEASURE_COSINE;
  if (problem.kind == LFFN_VECTORS_INT8) {
    int64_t ab = 0, aa = 0, bb = 0;
    for (int64_t i = 0; i < problem.size; ++i) {
      const auto x = static_cast<int8_t>(a[i]), y = static_cast<int8_t>(b[i]);
      ab += x * y;
      aa += x * x;
      bb += y * y;
    }
    const auto sum = static_cast<float>(ab);
    if (cosine) {
      if (aa == 0 || bb == 0) return {0, 0};
      const float lengths = std::sqrt(static_cast<float>(aa)) * std::sqrt(static_cast<float>(bb));
      return {std::clamp(sum / lengths, -1.0f, 1.0f), 0};
    }
    const auto scale = [](const std::vector<float>& each, float all, int64_t i) {
      return !each.empty() ? each[static_cast<size_t>(i)] : all != 0 ? all : 1.0f;
    };
    const float scales =
        scale(problem.query_scales, problem.query_scale, q) * scale(problem.vector_scales, problem.vector_scale, v);
    return {sum * scales, 0};
  }
  double ab = 0, aa = 0, bb = 0, magnitudes = 0;
  for (int64_t i = 0; i < problem.size; ++i) {
    float x, y;
    std::memcpy(&x, a + 4 * i, sizeof x);
    std::memcpy(&y, b + 4 * i, sizeof y);
    ab += double{x} * double{y};
    aa += double{x} * double{x};
    bb += double{y} * double{y};
    magnitudes += std::fabs(double{x} * double{y});
  }
  constexpr double kRounding = 1e-6;
  if (!cosine) return {ab, kRounding * magnitudes + 1e-30};
  const double lengths = std::sqrt(aa * bb);
  return lengths == 0 ? Score{0, 0} : Score{ab / lengths, kRounding * (1 + magnitudes / lengths)};
}

// What was found is what the definition finds: in order, no id twice, and nothing nearer is left out.
inline void expect_right(const Problem& problem, const Lists& found) {
  const bool fewer_is_nearer = problem.measure == LFFN_MEASURE_HAMMING;
  const auto key = [&](double score) { return fewer_is_nearer ? -score : score; };
  for (int64_t q = 0; q < problem.n_queries; ++q) {
    struct Member {
      int64_t id;
      Score score;
    };
    std::vector<Member> all;
    for (const int64_t v : members(problem, q)) all.push_back({problem.id(v), defined(problem, q, v)});
    const auto count = static_cast<int64_t>(std::min(all.size(), static_cast<size_t>(problem.k)));
    ASSERT_EQ(found.counts[static_cast<size_t>(q)], count);
    std::sort(all.begin(), all.end(), [&](const Member& a, const Member& b) {
      return key(a.score.exact) != key(b.score.exact) ? key(a.score.exact) > key(b.score.exact) : a.id < b.id;
    });
    for (int64_t i = 0; i < problem.k; ++i) {
      const auto at = static_cast<size_t>(q * problem.k + i);
      if (i >= count) {
        ASSERT_EQ(found.ids[at], -1);
        ASSERT_TRUE(std::isnan(found.scores[at]));
        continue;
      }
      const Member& expected = all[static_cast<size_t>(i)];
      // The score of the i-th is right within rounding, and so is the id's own.
      ASSERT_NEAR(found.scores[at], expected.score.exact, 2 * expected.score.tolerance)
          << "query " << q << " place " << i;
      if (expected.score.tolerance == 0) {
        ASSERT_EQ(found.ids[at], expected.id) << "query " << q << " place " << i;
      } else {
        const auto own =
            std::find_if(all.begin(), all.end(), [&](const Member& one) { return one.id == found.ids[at]; });
        ASSERT_NE(own, all.end());
        ASSERT_NEAR(found.scores[at], own->score.exact, own->score.tolerance) << "query " << q << " place " << i;
      }
      if (i == 0) continue;
      const bool in_order = key(found.scores[at - 1]) > key(found.scores[at]) ||
                            (found.scores[at - 1] == found.scores[at] && found.ids[at - 1] <= found.ids[at]);
      ASSERT_TRUE(in_order) << "query " << q << " place " << i;
    }
  }
}

}  // namespace search_tests
