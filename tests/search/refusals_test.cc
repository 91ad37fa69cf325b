// SPDX-License-Identifier: Apache-2.0
// What cannot be meant is refused with a sentence, and nothing is written.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tests/search/problem.h"

namespace {

using namespace search_tests;

class Refusals : public testing::Test {
 protected:
  Refusals() : queries(3 * 8), vectors(5 * 8) {
    lffn_top_k_args_init(&good);
    good.kind = LFFN_VECTORS_INT8;
    good.size = 8;
    good.queries = queries.data();
    good.n_queries = 3;
    good.vectors = vectors.data();
    good.n_vectors = 5;
    good.k = 2;
    found = places(good);
    point(good, found);
  }
  void refused(const std::function<void(lffn_top_k_args&)>& change, const std::string& part,
               lffn_status status = LFFN_ERROR_INVALID_ARGUMENT) {
    lffn_top_k_args args = good;
    change(args);
    const Lists before = found;
    EXPECT_EQ(lffn_top_k(&args), status) << part;
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error() << "\n" << part;
    EXPECT_TRUE(before == found) << part;
  }

  std::vector<int8_t> queries, vectors;
  lffn_top_k_args good;
  Lists found;
};

TEST_F(Refusals, WhatIsRead) {
  refused([](auto& a) { a.kind = 0; }, "kind is 0, expected an LFFN_VECTORS_ value");
  refused([](auto& a) { a.kind = 2; }, "kind is 2");
  refused([](auto& a) { a.measure = 3; }, "measure is 3, expected an LFFN_MEASURE_ value");
  refused([](auto& a) { a.measure = -1; }, "measure is -1");
  refused([](auto& a) { a.measure = LFFN_MEASURE_HAMMING; }, "bits have LFFN_MEASURE_HAMMING");
  refused([](auto& a) { a.kind = LFFN_VECTORS_BITS; }, "bits have LFFN_MEASURE_HAMMING");
  refused([](auto& a) { a.size = 0; }, "size is 0, expected 1 to 65536");
  refused([](auto& a) { a.size = 65537; }, "size is 65537");
  refused([](auto& a) { a.size = INT64_MIN; }, "size is -9223372036854775808");
  refused([](auto& a) { a.n_queries = -1; }, "n_queries is -1");
  refused([](auto& a) { a.n_vectors = -1; }, "n_vectors is -1");
  refused([](auto& a) { a.n_vectors = INT64_MAX; }, "more than any memory holds");
  refused([](auto& a) { a.n_queries = INT64_MAX / 8; }, "capacity is 6", LFFN_ERROR_TOO_SMALL);
  refused([](auto& a) { a.queries = nullptr; }, "queries is NULL");
  refused([](auto& a) { a.vectors = nullptr; }, "vectors is NULL");
  refused([](auto& a) { a.query_stride = 7; }, "query_stride is 7, expected 0 or at least a vector's 8 bytes");
  refused([](auto& a) { a.vector_stride = -8; }, "vector_stride is -8");
  refused([](auto& a) { a.vector_stride = INT64_MAX / 2; }, "vectors: 4 times");
  refused([](auto& a) { a.first_id = INT64_MAX - 4; }, "beyond int64");
  refused([](auto& a) { a.num_threads = -1; }, "num_threads is -1");
  refused([](auto& a) { a.num_threads = 1025; }, "num_threads is 1025");
  refused([](auto& a) { a.reserved = 1; }, "reserved is 1, expected 0");
  const int32_t cancel = 1;
  refused([&](auto& a) { a.cancel = &cancel; }, "cancelled", LFFN_ERROR_CANCELLED);
  EXPECT_EQ(lffn_top_k(nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  lffn_top_k_args empty = {};
  EXPECT_EQ(lffn_top_k(&empty), LFFN_ERROR_INVALID_ARGUMENT);
}

TEST_F(Refusals, ScalesAndIds) {
  const std::vector<float> scales(5, 1);
  const std::vector<int64_t> ids(5, 1);
  refused([&](auto& a) { a.query_scales = scales.data(), a.query_scale = 2; }, "query_scales and query_scale are both");
  refused([&](auto& a) { a.kind = LFFN_VECTORS_F32, a.size = 2, a.vector_scale = 2; }, "only int8 has scales");
  refused([&](auto& a) { a.kind = LFFN_VECTORS_F32, a.size = 2, a.query_scales = scales.data(); },
          "only int8 has scales");
  refused([&](auto& a) { a.vector_ids = ids.data(), a.first_id = 2; }, "vector_ids and first_id");
  const auto odd = [](const auto* pointer) {
    return reinterpret_cast<decltype(pointer)>(reinterpret_cast<const char*>(pointer) + 1);
  };
  refused([&](auto& a) { a.vector_scales = odd(scales.data()); }, "vector_scales is not aligned to 4 bytes");
  refused([&](auto& a) { a.vector_ids = odd(ids.data()); }, "vector_ids is not aligned to 8 bytes");
}

TEST_F(Refusals, Candidates) {
  const std::vector<int64_t> low = {0, -1}, high = {0, 5}, right = {0, 4};
  const std::vector<int64_t> falling = {0, 2, 1, 2}, beyond = {0, 1, 1, 3}, negative = {-1, 0, 0, 0};
  const auto with = [](const std::vector<int64_t>& candidates, const std::vector<int64_t>* offsets) {
    return [&candidates, offsets](lffn_top_k_args& args) {
      args.candidates = candidates.data();
      args.n_candidates = static_cast<int64_t>(candidates.size());
      if (offsets != nullptr) args.candidate_offsets = offsets->data();
    };
  };
  refused(with(low, nullptr), "candidates[1] is -1, expected 0 to n_vectors - 1, 4");
  refused(with(high, nullptr), "candidates[1] is 5");
  refused(with(right, &falling), "candidate_offsets[2] is 1, less than candidate_offsets[1], 2");
  refused(with(right, &beyond), "candidate_offsets go from 0 to 3, expected 0 to n_candidates, 2");
  refused(with(right, &negative), "candidate_offsets go from -1");
  refused([](auto& a) { a.n_candidates = 1; }, "candidates is NULL");
  refused([](auto& a) { a.n_candidates = -1; }, "n_candidates is -1");
}

TEST_F(Refusals, PlacesAndStart) {
  refused([](auto& a) { a.k = 0; }, "k is 0, expected 1 or more");
  refused([](auto& a) { a.k = -2; }, "k is -2");
  refused([](auto& a) { a.k = INT64_MAX; }, "more than any memory holds");
  refused([](auto& a) { a.k = INT64_MAX / 24; }, "capacity is 6", LFFN_ERROR_TOO_SMALL);
  refused([](auto& a) { a.capacity = 5; }, "capacity is 5, there are 6 places", LFFN_ERROR_TOO_SMALL);
  refused([](auto& a) { a.ids = nullptr; }, "ids is NULL");
  refused([](auto& a) { a.scores = nullptr; }, "scores is NULL");
  std::vector<int64_t> counts(3, 2), ids(6, 1);
  std::vector<float> scores(6, 1);
  const auto start = [&](lffn_top_k_args& a) {
    a.start_counts = counts.data();
    a.start_ids = ids.data();
    a.start_scores = scores.data();
  };
  refused([&](auto& a) { start(a), a.start_counts = nullptr; }, "without start_counts");
  refused([&](auto& a) { start(a), a.start_ids = nullptr; }, "start_ids is NULL");
  refused([&](auto& a) { start(a), a.start_scores = nullptr; }, "start_scores is NULL");
  counts[1] = 3;
  refused(start, "start_counts[1] is 3, expected 0 to k, 2");
  counts[1] = -1;
  refused(start, "start_counts[1] is -1");
  counts[1] = 2;
  refused([&](auto& a) { start(a), a.start_ids = found.ids.data() + 1, a.capacity = 6; }, "ids overlaps start_ids");
}

TEST_F(Refusals, OutputsThatOverlap) {
  refused([&](auto& a) { a.scores = reinterpret_cast<float*>(a.ids) + 2; }, "ids overlaps scores");
  refused([&](auto& a) { a.counts = a.ids; }, "counts overlaps ids");
  std::vector<int64_t> memory(100);
  refused([&](auto& a) { a.vectors = memory.data(), a.ids = memory.data() + 4; }, "ids overlaps vectors");
  refused([&](auto& a) { a.queries = memory.data(), a.counts = memory.data() + 2; }, "counts overlaps queries");
  std::vector<int64_t> offsets(4);
  refused([&](auto& a) { a.counts = offsets.data() + 1, a.candidate_offsets = offsets.data(); },
          "counts overlaps candidate_offsets");
  found.ids.assign(found.ids.size(), 1);
  refused([&](auto& a) { a.candidates = a.ids, a.n_candidates = 2; }, "ids overlaps candidates");
  // Side by side is no overlap.
  lffn_top_k_args args = good;
  args.vectors = memory.data();
  args.ids = memory.data() + 5;
  args.queries = memory.data() + 11;
  EXPECT_EQ(lffn_top_k(&args), LFFN_OK) << lffn_last_error();
}

TEST_F(Refusals, NothingToDoIsNoFault) {
  lffn_top_k_args args = good;
  args.n_queries = 0;
  args.queries = nullptr;
  args.ids = nullptr;
  args.scores = nullptr;
  args.capacity = 0;
  EXPECT_EQ(lffn_top_k(&args), LFFN_OK) << lffn_last_error();
  args = good;
  args.n_vectors = 0;
  args.vectors = nullptr;
  EXPECT_EQ(lffn_top_k(&args), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(found.counts, std::vector<int64_t>(3, 0));
  EXPECT_EQ(found.ids, std::vector<int64_t>(6, -1));
  // An empty list of candidates, which may have no address.
  args = good;
  const std::vector<int64_t> offsets(4, 0);
  args.candidate_offsets = offsets.data();
  found.counts.assign(3, -7);
  EXPECT_EQ(lffn_top_k(&args), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(found.counts, std::vector<int64_t>(3, 0));
}

}  // namespace
