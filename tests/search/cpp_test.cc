// SPDX-License-Identifier: Apache-2.0
// The C++ interface of a search, against sums written out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace {

using lookupffn::InvalidArgument;
using lookupffn::Nearest;
using lookupffn::SearchOptions;
using lookupffn::Vectors;

constexpr int64_t kSize = 19, kCount = 50, kQueries = 3;

template <typename Number>
std::vector<Number> drawn(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(std::is_signed_v<Number> ? -100 : 0, std::is_signed_v<Number> ? 100 : 255);
  std::vector<Number> result(static_cast<size_t>(count));
  for (Number& value : result) value = static_cast<Number>(number(random));
  return result;
}

// Whole numbers this small have exact sums in any order.
template <typename Number>
float product(const std::vector<Number>& a, int64_t i, const std::vector<Number>& b, int64_t j) {
  return static_cast<float>(
      std::inner_product(a.begin() + i * kSize, a.begin() + (i + 1) * kSize, b.begin() + j * kSize, 0.0));
}

// Ids of the highest scores; of equal ones the lowest.
std::vector<int64_t> best(const std::vector<float>& scores, int64_t k) {
  std::vector<int64_t> ids(scores.size());
  std::iota(ids.begin(), ids.end(), int64_t{0});
  std::stable_sort(ids.begin(), ids.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  ids.resize(std::min(ids.size(), static_cast<size_t>(k)));
  return ids;
}

std::vector<int64_t> list(lookupffn::Span<const int64_t> ids) { return {ids.begin(), ids.end()}; }

template <typename Number>
void expect_best_products(float scale) {
  const auto queries = drawn<Number>(kQueries * kSize, 1), vectors = drawn<Number>(kCount * kSize, 2);
  const Nearest found = lookupffn::top_k(Vectors(queries, kSize), Vectors(vectors, kSize));
  ASSERT_EQ(found.k, 10);
  for (int64_t q = 0; q < kQueries; ++q) {
    std::vector<float> scores;
    for (int64_t v = 0; v < kCount; ++v) scores.push_back(scale * product(queries, q, vectors, v));
    const std::vector<int64_t> ids = best(scores, 10);
    EXPECT_EQ(list(found.ids_of(q)), ids);
    for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(found.scores_of(q)[i], scores[ids[i]]);
  }
}

TEST(Cpp, Floats) { expect_best_products<float>(1); }

TEST(Cpp, Bytes) { expect_best_products<int8_t>(1); }

TEST(Cpp, ScalesOfBytes) {
  const auto queries = drawn<int8_t>(kSize, 1), vectors = drawn<int8_t>(2 * kSize, 2);
  const std::vector<float> scales = {0.5f, -2};
  SearchOptions options;
  options.k = 2;
  const Nearest found = lookupffn::top_k(Vectors(queries, kSize, 0.25f), Vectors(vectors, kSize, scales), options);
  const std::vector<float> scores = {0.125f * product(queries, 0, vectors, 0), -0.5f * product(queries, 0, vectors, 1)};
  EXPECT_EQ(list(found.ids_of(0)), best(scores, 2));
  EXPECT_EQ(found.scores_of(0)[0], std::max(scores[0], scores[1]));
  EXPECT_THROW(Vectors(vectors, kSize, lookupffn::Span<const float>(scales.data(), 1)), InvalidArgument);
  EXPECT_THROW(Vectors(vectors, kSize, 0.0f), InvalidArgument);
}

TEST(Cpp, Bits) {
  constexpr int64_t kBytes = (kSize + 7) / 8;
  const auto query = drawn<uint8_t>(kBytes, 1), vectors = drawn<uint8_t>(kCount * kBytes, 2);
  const Nearest found = lookupffn::top_k(Vectors(query, kSize), Vectors(vectors, kSize));
  std::vector<float> scores;
  for (int64_t v = 0; v < kCount; ++v) {
    int differ = 0;
    for (int64_t bit = 0; bit < kSize; ++bit) {
      const int mask = 0x80 >> bit % 8;
      differ += (query[bit / 8] & mask) != (vectors[v * kBytes + bit / 8] & mask) ? 1 : 0;
    }
    scores.push_back(static_cast<float>(-differ));
  }
  EXPECT_EQ(list(found.ids_of(0)), best(scores, 10));
  EXPECT_EQ(found.scores_of(0)[0], -scores[found.ids_of(0)[0]]);
}

TEST(Cpp, BlockAfterBlock) {
  const auto queries = drawn<float>(kQueries * kSize, 3), vectors = drawn<float>(kCount * kSize, 4);
  const Nearest whole = lookupffn::top_k(Vectors(queries, kSize), Vectors(vectors, kSize));
  Nearest parts;
  SearchOptions options;
  for (int64_t begin = 0; begin < kCount; begin += 7) {
    const int64_t count = std::min<int64_t>(7, kCount - begin);
    options.first_id = begin;
    const lookupffn::Span<const float> part(vectors.data() + begin * kSize, static_cast<size_t>(count * kSize));
    lookupffn::top_k(Vectors(queries, kSize), Vectors(part, kSize), options, parts);
  }
  EXPECT_EQ(parts.ids, whole.ids);
  EXPECT_EQ(parts.scores, whole.scores);
  options.k = 9;
  EXPECT_THROW(lookupffn::top_k(Vectors(queries, kSize), Vectors(vectors, kSize), options, parts), InvalidArgument);
}

TEST(Cpp, WhichTakePart) {
  const auto queries = drawn<float>(2 * kSize, 5), vectors = drawn<float>(kCount * kSize, 6);
  const std::vector<int64_t> candidates = {7, 3, 44}, offsets = {0, 1, 3};
  std::vector<uint8_t> bits((kCount + 7) / 8, 0);
  bits[3 / 8] |= 1 << 3 % 8;
  bits[44 / 8] |= 1 << 44 % 8;
  std::vector<int64_t> ids(kCount);
  for (int64_t i = 0; i < kCount; ++i) ids[i] = 1000 - i;
  SearchOptions options;
  options.candidates = candidates;
  Nearest found = lookupffn::top_k(Vectors(queries, kSize), Vectors(vectors, kSize), options);
  EXPECT_EQ(found.counts, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(found.ids[3], -1);
  EXPECT_TRUE(std::isnan(found.scores[3]));
  options.candidate_offsets = offsets;
  options.ids = ids;
  found = lookupffn::top_k(Vectors(queries, kSize), Vectors(vectors, kSize), options);
  EXPECT_EQ(list(found.ids_of(0)), std::vector<int64_t>{1000 - 7});
  EXPECT_EQ(found.counts, (std::vector<int64_t>{1, 2}));
  options = {};
  options.taking_part = bits;
  found = lookupffn::top_k(Vectors(queries, kSize), Vectors(vectors, kSize), options);
  EXPECT_EQ(std::min(found.ids[0], found.ids[1]), 3);
  EXPECT_EQ(std::max(found.ids[0], found.ids[1]), 44);
  // No candidates are no vectors, and no list of them is all.
  options = {};
  options.candidates = lookupffn::Span<const int64_t>();
  EXPECT_EQ(lookupffn::top_k(Vectors(queries, kSize), Vectors(vectors, kSize), options).counts,
            (std::vector<int64_t>{0, 0}));
}

TEST(Cpp, Pairs) {
  const std::vector<float> a = {3, 4}, b = {4, 3}, none = {0, 0};
  EXPECT_EQ(lookupffn::dot(a, b), 24);
  EXPECT_EQ(lookupffn::cosine(a, b), 24.0f / 25);
  EXPECT_EQ(lookupffn::cosine(a, none), 0);
  EXPECT_THROW(lookupffn::dot(a, std::vector<float>{1}), InvalidArgument);
  EXPECT_THROW(lookupffn::dot(none, std::vector<float>{}), InvalidArgument);
}

TEST(Cpp, Refusals) {
  const std::vector<float> numbers(6);
  const std::vector<int8_t> bytes(6);
  const Vectors vectors(numbers, 3);
  EXPECT_THROW(Vectors(numbers, 4), InvalidArgument);
  EXPECT_THROW(Vectors(numbers, 0), InvalidArgument);
  EXPECT_THROW(lookupffn::top_k(vectors, Vectors(numbers, 2)), InvalidArgument);
  EXPECT_THROW(lookupffn::top_k(vectors, Vectors(bytes, 3)), InvalidArgument);
  SearchOptions options;
  options.k = 0;
  EXPECT_THROW(lookupffn::top_k(vectors, vectors, options), InvalidArgument);
  options.k = INT64_MAX;
  EXPECT_THROW(lookupffn::top_k(vectors, vectors, options), lookupffn::OutOfMemory);
  options = {};
  const std::vector<int64_t> one = {1};
  options.ids = one;
  EXPECT_THROW(lookupffn::top_k(vectors, vectors, options), InvalidArgument);
  lookupffn::CancelFlag cancel;
  cancel.cancel();
  options = {};
  options.cancel = &cancel;
  EXPECT_THROW(lookupffn::top_k(vectors, vectors, options), lookupffn::Cancelled);
}

}  // namespace
