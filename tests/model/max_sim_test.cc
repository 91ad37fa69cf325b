// SPDX-License-Identifier: Apache-2.0
// Scores of late interaction, beside their plain definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace {

using Scores = std::vector<float>;

// Vectors of texts with so many each.
struct Side {
  Side(std::vector<int64_t> counts, int32_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> draw(-1, 1);
    for (const int64_t count : counts) offsets.push_back(offsets.back() + count);
    floats.resize(static_cast<size_t>(offsets.back() * size));
    for (float& value : floats) value = draw(random);
    for (const float value : floats) bytes.push_back(static_cast<int8_t>(std::lround(value * 127)));
    for (int64_t i = 0; i < offsets.back(); ++i) scales.push_back(0.25f + std::fabs(draw(random)));
  }
  // Number i of a vector.
  double number(bool is_bytes, int64_t vector, int64_t i, int32_t size) const {
    const auto at = static_cast<size_t>(vector * size + i);
    return is_bytes ? double{scales[static_cast<size_t>(vector)]} * bytes[at] : double{floats[at]};
  }
  std::vector<int64_t> offsets = {0};
  std::vector<float> floats, scales;
  std::vector<int8_t> bytes;
};

class MaxSim : public testing::Test {
 protected:
  lffn_max_sim_args args(bool query_bytes, bool document_bytes) const {
    lffn_max_sim_args args;
    lffn_max_sim_args_init(&args);
    args.size = kSize;
    (query_bytes ? args.queries : args.documents) = nullptr;
    if (!query_bytes) args.queries = queries.floats.data();
    if (query_bytes) args.int8_queries = queries.bytes.data();
    if (!document_bytes) args.documents = documents.floats.data();
    if (document_bytes) args.int8_documents = documents.bytes.data();
    args.query_scales = query_bytes ? queries.scales.data() : nullptr;
    args.document_scales = document_bytes ? documents.scales.data() : nullptr;
    args.query_offsets = queries.offsets.data();
    args.document_offsets = documents.offsets.data();
    args.n_queries = static_cast<int64_t>(queries.offsets.size()) - 1;
    args.n_documents = static_cast<int64_t>(documents.offsets.size()) - 1;
    return args;
  }
  static Scores run(lffn_max_sim_args args) {
    Scores scores(static_cast<size_t>(args.n_queries * args.n_documents), -7);
    float none = 0;
    const lffn_output output = {LFFN_OUT_MAX_SIM_SCORES, 0, scores.empty() ? &none : scores.data(),
                                static_cast<int64_t>(scores.size())};
    args.outputs = &output;
    args.n_outputs = 1;
    EXPECT_EQ(lffn_max_sim(&args), LFFN_OK) << lffn_last_error();
    return scores;
  }
  Scores defined(bool query_bytes, bool document_bytes, bool means) const {
    Scores scores;
    for (size_t q = 0; q + 1 < queries.offsets.size(); ++q) {
      for (size_t d = 0; d + 1 < documents.offsets.size(); ++d) {
        const int64_t count = queries.offsets[q + 1] - queries.offsets[q];
        double sum = 0;
        for (int64_t row = queries.offsets[q]; row < queries.offsets[q + 1]; ++row) {
          double best = documents.offsets[d] < documents.offsets[d + 1] ? -1e30 : 0;
          for (int64_t other = documents.offsets[d]; other < documents.offsets[d + 1]; ++other) {
            double product = 0;
            for (int64_t i = 0; i < kSize; ++i) {
              product += queries.number(query_bytes, row, i, kSize) * documents.number(document_bytes, other, i, kSize);
            }
            best = std::max(best, product);
          }
          sum += best;
        }
        scores.push_back(static_cast<float>(means && count > 0 ? sum / static_cast<double>(count) : sum));
      }
    }
    return scores;
  }
  static void refused(const lffn_max_sim_args& args, const std::string& part,
                      lffn_status status = LFFN_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(lffn_max_sim(&args), status);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
  }

  static constexpr int32_t kSize = 48;
  const Side queries{{3, 0, 40, 1, 1100}, kSize, 1};
  const Side documents{{5, 16, 0, 200, 64, 1, 17}, kSize, 2};
};

TEST_F(MaxSim, IsTheSumOfTheLargestProducts) {
  for (const bool query_bytes : {false, true}) {
    for (const bool document_bytes : {false, true}) {
      for (const bool means : {false, true}) {
        lffn_max_sim_args given = args(query_bytes, document_bytes);
        given.flags = means ? uint32_t{LFFN_MAX_SIM_MEAN} : 0;
        const Scores scores = run(given), expected = defined(query_bytes, document_bytes, means);
        ASSERT_EQ(scores.size(), expected.size());
        for (size_t i = 0; i < scores.size(); ++i) {
          EXPECT_NEAR(scores[i], expected[i], 1e-5 * std::max(1.0f, std::fabs(expected[i]))) << i;
        }
      }
    }
  }
}

TEST_F(MaxSim, SizesThatFillNoVector) {
  for (const int32_t size : {1, 7, 15, 17, 33}) {
    lffn_max_sim_args given = args(false, false);
    given.size = size;
    given.n_queries = 1;
    given.n_documents = 1;
    const Scores scores = run(given);
    double sum = 0;
    for (int64_t q = 0; q < 3; ++q) {
      double best = -1e30;
      for (int64_t d = 0; d < 5; ++d) {
        double product = 0;
        for (int64_t i = 0; i < size; ++i) {
          product += double{queries.floats[static_cast<size_t>(q * size + i)]} *
                     double{documents.floats[static_cast<size_t>(d * size + i)]};
        }
        best = std::max(best, product);
      }
      sum += best;
    }
    EXPECT_NEAR(scores[0], sum, 1e-5) << size;
  }
}

// On each instruction set that has fused multiply-add, any number of threads, alone or among others.
TEST_F(MaxSim, GivesTheSameBitsEverywhere) {
  for (const bool document_bytes : {false, true}) {
    lffn_max_sim_args given = args(false, document_bytes);
    const Scores all = run(given);
    for (const int32_t threads : {1, 2, 5}) {
      given.num_threads = threads;
      EXPECT_EQ(run(given), all);
    }
    for (const char* isa : {"avx2", "avx512", "neon"}) {
      lookupffn::RuntimeOptions options;
      options.isa = isa;
      auto outcome = lookupffn::Runtime::try_create(options);
      if (outcome.status != LFFN_OK) continue;
      given.runtime = outcome.value.get();
      EXPECT_EQ(run(given), all) << isa;
    }
    given.runtime = nullptr;
    for (int64_t q = 0; q < 5; ++q) {
      for (int64_t d = 0; d < 7; ++d) {
        lffn_max_sim_args one = given;
        one.query_offsets += q;
        one.document_offsets += d;
        one.n_queries = one.n_documents = 1;
        EXPECT_EQ(run(one)[0], all[static_cast<size_t>(q * 7 + d)]) << q << " " << d;
      }
    }
  }
}

TEST_F(MaxSim, ANumberThatIsNoneMakesItsScoresNone) {
  Side with = documents;
  with.floats[(5 + 3) * kSize + 2] = std::numeric_limits<float>::quiet_NaN();
  lffn_max_sim_args given = args(false, false);
  const Scores before = run(given);
  given.documents = with.floats.data();
  const Scores after = run(given);
  for (size_t i = 0; i < after.size(); ++i) {
    const bool meets = i % 7 == 1 && i / 7 != 1;  // the second query has no vector
    EXPECT_EQ(std::isnan(after[i]), meets) << i;
    if (!meets) {
      EXPECT_EQ(after[i], before[i]);
    }
  }
}

TEST_F(MaxSim, RefusesWhatCannotBeMeant) {
  const lffn_max_sim_args good = args(false, true);
  Scores scores(35);
  lffn_output output = {LFFN_OUT_MAX_SIM_SCORES, 0, scores.data(), 35};
  const auto with = [&](auto change) {
    lffn_max_sim_args changed = good;
    changed.outputs = &output;
    changed.n_outputs = 1;
    change(changed);
    return changed;
  };
  refused(with([](auto& a) { a.size = 0; }), "size is 0, expected 1 to 65536");
  refused(with([](auto& a) { a.size = 65537; }), "size is 65537");
  refused(with([](auto& a) { a.flags = 2; }), "flags");
  refused(with([](auto& a) { a.reserved = 3; }), "reserved is 3, expected 0");
  refused(with([](auto& a) { a.num_threads = -1; }), "num_threads");
  refused(with([](auto& a) { a.n_queries = -1; }), "n_queries");
  refused(with([](auto& a) { a.n_documents = -1; }), "n_documents");
  refused(with([](auto& a) { a.queries = nullptr; }), "queries and int8_queries are not given; give one of them");
  refused(with([&](auto& a) { a.documents = documents.floats.data(); }), "documents and int8_documents are both given");
  refused(with([](auto& a) { a.document_scales = nullptr; }), "document_scales");
  refused(with([](auto& a) { a.query_offsets = nullptr; }), "query_offsets");
  output.capacity = 34;
  refused(with([](auto&) {}), "max_sim_scores: capacity is 34, expected 35", LFFN_ERROR_TOO_SMALL);
  output = {LFFN_OUT_MAX_SIM_SCORES, 0, nullptr, 0};
  refused(with([](auto&) {}), "has no data, and the call has no result");
  output = {LFFN_OUT_EMBEDDINGS, 0, scores.data(), 35};
  refused(with([](auto&) {}), "which this call does not give");
  output = {LFFN_OUT_MAX_SIM_SCORES, 0, scores.data(), 35};
  const int64_t falling[] = {0, 3, 2}, negative[] = {-1, 0}, huge[] = {0, INT64_MAX / 8};
  refused(with([&](auto& a) { a.query_offsets = falling, a.n_queries = 2; }),
          "query_offsets[2] is 2, less than query_offsets[1], 3");
  refused(with([&](auto& a) { a.document_offsets = negative, a.n_documents = 1; }), "document_offsets[0] is -1");
  refused(with([&](auto& a) { a.document_offsets = huge, a.n_documents = 1; }), "more than any memory holds");
  std::vector<float> scales = documents.scales;
  scales[4] = -1;
  refused(with([&](auto& a) { a.document_scales = scales.data(); }), "document_scales[4] is -1, expected 0 or more");
  const int32_t cancel = 1;
  refused(with([&](auto& a) { a.cancel = &cancel; }), "cancelled", LFFN_ERROR_CANCELLED);
  EXPECT_EQ(run(with([](auto& a) { a.n_queries = 0; })), Scores());
  EXPECT_EQ(lffn_max_sim(nullptr), LFFN_ERROR_INVALID_ARGUMENT);
}

}  // namespace
