// SPDX-License-Identifier: Apache-2.0
// Searches beside their definition, and to the bit beside each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/search/draw.h"

namespace {

using namespace search_tests;

struct Isa {
  std::string name;
  lookupffn::Runtime runtime;
  bool has_fma;
};

const std::vector<Isa>& isas() {
  static const std::vector<Isa> found = [] {
    std::vector<Isa> usable;
    for (const char* name : {"generic", "baseline", "avx2", "avxvnni", "avx512", "avx512vnni", "avx512vbmi", "neon",
                             "neondot", "neoni8mm"}) {
      lookupffn::RuntimeOptions options;
      options.isa = name;
      auto outcome = lookupffn::Runtime::try_create(options);
      if (outcome.status != LFFN_OK) continue;
      const bool has_fma = std::strcmp(name, "generic") != 0 && std::strcmp(name, "baseline") != 0;
      usable.push_back({name, std::move(outcome.value), has_fma});
    }
    return usable;
  }();
  return found;
}

// The same search with other blocks of vectors, each the start of the next.
Lists run_in_blocks(const Problem& problem, lffn_top_k_args args, int64_t block) {
  Lists found = places(args);
  point(args, found);
  for (int64_t first = 0; first < problem.n_vectors || first == 0; first += block) {
    lffn_top_k_args part = args;
    part.vectors = problem.vector(first);
    part.n_vectors = std::min(block, problem.n_vectors - first);
    if (part.vector_scales != nullptr) part.vector_scales += first;
    if (part.vector_ids != nullptr) part.vector_ids += first;
    if (part.vector_ids == nullptr) part.first_id += first;
    if (part.taking_part != nullptr) part.taking_part += first / 8;
    if (first > 0) {
      part.start_counts = found.counts.data();
      part.start_ids = found.ids.data();
      part.start_scores = found.scores.data();
    }
    EXPECT_EQ(lffn_top_k(&part), LFFN_OK) << lffn_last_error();
  }
  return found;
}

// One query after the other.
Lists run_alone(const Problem& problem, const lffn_top_k_args& args) {
  Lists found = places(args);
  for (int64_t q = 0; q < problem.n_queries; ++q) {
    lffn_top_k_args one = args;
    one.queries = problem.query(q);
    one.n_queries = 1;
    if (one.query_scales != nullptr) one.query_scales += q;
    if (one.candidate_offsets != nullptr) one.candidate_offsets += q;
    one.counts = found.counts.data() + q;
    one.ids = found.ids.data() + q * args.k;
    one.scores = found.scores.data() + q * args.k;
    one.capacity = args.k;
    EXPECT_EQ(lffn_top_k(&one), LFFN_OK) << lffn_last_error();
  }
  return found;
}

TEST(TopK, FindsWhatComparingAllFindsWithTheSameBitsEverywhere) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    const Problem problem = draw.problem();
    lffn_top_k_args args = problem.args();
    args.num_threads = 1;
    const Lists found = run(args);
    expect_right(problem, found);
    if (HasFatalFailure()) return;
    args.num_threads = static_cast<int32_t>(draw.number(2, 6));
    ASSERT_TRUE(run(args) == found) << args.num_threads << " threads";
    ASSERT_TRUE(run_alone(problem, args) == found);
    if (!problem.has_candidates) {
      ASSERT_TRUE(run_in_blocks(problem, args, 8 * draw.number(1, 30)) == found);
    }
    std::vector<Lists> without_fma;
    for (const Isa& isa : isas()) {
      args.runtime = isa.runtime.get();
      const Lists other = run(args);
      if (isa.has_fma || problem.kind != LFFN_VECTORS_F32) {
        ASSERT_TRUE(other == found) << isa.name;
      } else {
        expect_right(problem, other);
        without_fma.push_back(other);
        ASSERT_TRUE(without_fma[0] == other) << isa.name;
      }
    }
  }
}

// Enough work for several threads, items and blocks of queries.
TEST(TopK, GivesTheSameBitsWhereThreadsShareTheWork) {
  Draw draw(7);
  for (const int32_t kind : {LFFN_VECTORS_F32, LFFN_VECTORS_INT8, LFFN_VECTORS_BITS}) {
    for (const int64_t n_queries : {1, 5, 300}) {
      Problem problem;
      problem.kind = kind;
      problem.measure = kind == LFFN_VECTORS_BITS ? LFFN_MEASURE_HAMMING : LFFN_MEASURE_COSINE;
      problem.size = 100;
      problem.n_vectors = 20000;
      problem.n_queries = n_queries;
      problem.k = 7;
      problem.make_room();
      for (const Guarded* memory : {&problem.queries, &problem.vectors}) {
        const int64_t bytes =
            (memory == &problem.queries ? problem.n_queries : problem.n_vectors) * problem.vector_bytes();
        for (int64_t at = 0; at < bytes; at += kind == LFFN_VECTORS_F32 ? 4 : 1) {
          const float value = draw.real();
          if (kind == LFFN_VECTORS_F32) {
            std::memcpy(memory->data() + at, &value, sizeof value);
          } else {
            memory->data()[at] = static_cast<uint8_t>(draw.number(0, 255));
          }
        }
      }
      lffn_top_k_args args = problem.args();
      args.num_threads = 1;
      const Lists found = run(args);
      if (n_queries == 1) expect_right(problem, found);
      for (const int32_t threads : {2, 3, 8}) {
        args.num_threads = threads;
        ASSERT_TRUE(run(args) == found) << threads;
      }
      ASSERT_TRUE(run_in_blocks(problem, args, 4096) == found);
    }
  }
}

TEST(TopK, EqualScoresComeByTheirIds) {
  Problem problem;
  problem.kind = LFFN_VECTORS_INT8;
  problem.size = 3;
  problem.n_queries = 9;
  problem.n_vectors = 3000;
  problem.k = 5;
  problem.make_room();  // zeros
  for (const int32_t threads : {1, 4}) {
    lffn_top_k_args args = problem.args();
    args.num_threads = threads;
    std::vector<int64_t> falling(3000);
    for (size_t i = 0; i < falling.size(); ++i) falling[i] = 2000 - static_cast<int64_t>(i);
    args.vector_ids = falling.data();
    const Lists found = run(args);
    for (size_t i = 0; i < found.ids.size(); ++i) EXPECT_EQ(found.ids[i], -999 + static_cast<int64_t>(i % 5));
    EXPECT_TRUE(run_in_blocks(problem, args, 64) == found);
  }
}

float floats_of(const uint8_t* from) {
  float value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// One query of ones, vectors of one number.
Lists of_numbers(const std::vector<float>& numbers, int64_t k, int32_t measure, int32_t threads, int64_t block = 0) {
  Problem problem;
  problem.measure = measure;
  problem.size = 1;
  problem.n_queries = 1;
  problem.n_vectors = static_cast<int64_t>(numbers.size());
  problem.k = k;
  problem.make_room();
  const float one = 1;
  std::memcpy(problem.query(0), &one, sizeof one);
  std::memcpy(problem.vector(0), numbers.data(), numbers.size() * sizeof(float));
  EXPECT_EQ(floats_of(problem.query(0)), 1);
  lffn_top_k_args args = problem.args();
  args.num_threads = threads;
  return block == 0 ? run(args) : run_in_blocks(problem, args, block);
}

TEST(TopK, NoNumberComesLastAndInfinityHasItsPlace) {
  const std::vector<float> numbers = {kNan, 1, -kInfinity, -kNan, 3, kInfinity, -0.0f, 0, kNan};
  const std::vector<int64_t> order = {5, 4, 1, 6, 7, 2, 0, 3, 8};
  for (int64_t k = 1; k <= 11; ++k) {
    for (const int64_t block : {0, 2, 5}) {
      const Lists found = of_numbers(numbers, k, LFFN_MEASURE_DOT, 1, block);
      for (int64_t i = 0; i < k; ++i) {
        const auto at = static_cast<size_t>(i);
        EXPECT_EQ(found.ids[at], i < 9 ? order[at] : -1) << k;
        if (i < 6) {
          EXPECT_EQ(found.scores[at], numbers[static_cast<size_t>(order[at])]);
        } else {
          EXPECT_EQ(std::memcmp(&found.scores[at], &kNan, sizeof kNan), 0) << "a NaN with a sign";
        }
      }
      EXPECT_EQ(found.counts[0], std::min<int64_t>(k, 9));
    }
  }
  const Lists cosines = of_numbers({2, 0, -5, kNan, kInfinity}, 5, LFFN_MEASURE_COSINE, 1);
  EXPECT_EQ(cosines.ids, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(std::vector<float>(cosines.scores.begin(), cosines.scores.begin() + 3), (std::vector<float>{1, 0, -1}));
}

// Many that are no number before those that are, so that the lists are full of them.
TEST(TopK, NumbersReplaceWhatIsNone) {
  for (const int32_t threads : {1, 3}) {
    std::vector<float> numbers(5000, kNan);
    numbers[4999] = -7;
    numbers[3000] = -8;
    const Lists found = of_numbers(numbers, 3, LFFN_MEASURE_DOT, threads);
    EXPECT_EQ(found.ids, (std::vector<int64_t>{4999, 3000, 0}));
  }
}

// The largest sums that int8 can have, for few queries and for many.
TEST(TopK, TheLargestSumsOfBytesFit) {
  for (const Isa& isa : isas()) {
    for (const int64_t n_queries : {1, 9}) {
      Problem problem;
      problem.kind = LFFN_VECTORS_INT8;
      problem.size = 65536;
      problem.n_queries = n_queries;
      problem.n_vectors = 3;
      problem.k = 3;
      problem.make_room();
      std::memset(problem.query(0), 0x80, static_cast<size_t>(n_queries * problem.size));
      std::memset(problem.vector(0), 0x80, static_cast<size_t>(problem.size));
      std::memset(problem.vector(1), 0x7f, static_cast<size_t>(problem.size));
      lffn_top_k_args args = problem.args();
      args.runtime = isa.runtime.get();
      const Lists found = run(args);
      expect_right(problem, found);
      EXPECT_EQ(found.scores[0], 1073741824.0f) << isa.name;
      EXPECT_EQ(found.scores[2], -1065353216.0f) << isa.name;
      args.measure = problem.measure = LFFN_MEASURE_COSINE;
      EXPECT_EQ(run(args).scores[0], 1) << isa.name;
    }
  }
}

// So many numbers that a row is more than a tile.
TEST(TopK, LongVectors) {
  Draw draw(3);
  for (const int32_t kind : {LFFN_VECTORS_F32, LFFN_VECTORS_INT8, LFFN_VECTORS_BITS}) {
    Problem problem;
    problem.kind = kind;
    problem.measure = kind == LFFN_VECTORS_BITS ? LFFN_MEASURE_HAMMING : LFFN_MEASURE_DOT;
    problem.size = 65535;
    problem.n_queries = 10;
    problem.n_vectors = 30;
    problem.k = 30;
    problem.make_room();
    for (int64_t i = 0; i < 40; ++i) {
      uint8_t* const row = i < 10 ? problem.query(i) : problem.vector(i - 10);
      for (int64_t at = 0; at < problem.vector_bytes(); at += kind == LFFN_VECTORS_F32 ? 4 : 1) {
        const float value = draw.real();
        if (kind == LFFN_VECTORS_F32) {
          std::memcpy(row + at, &value, sizeof value);
        } else {
          row[at] = static_cast<uint8_t>(draw.number(0, 255));
        }
      }
    }
    const Lists found = run(problem.args());
    expect_right(problem, found);
    EXPECT_TRUE(run_alone(problem, problem.args()) == found);
  }
}

// Bits find candidates, bytes put them in order; the lists of the one call are those of the other.
TEST(TopK, TwoStages) {
  constexpr int64_t kNumbers = 64, kVectors = 2000, kQueries = 12, kFound = 50;
  Draw draw(11);
  Problem bytes, bits;
  bytes.kind = LFFN_VECTORS_INT8;
  bits.kind = LFFN_VECTORS_BITS;
  bits.measure = LFFN_MEASURE_HAMMING;
  for (Problem* const one : {&bytes, &bits}) {
    one->size = kNumbers;
    one->n_vectors = kVectors;
    one->n_queries = kQueries;
    one->make_room();
  }
  for (int64_t i = 0; i < kVectors + kQueries; ++i) {
    uint8_t* const row = i < kQueries ? bytes.query(i) : bytes.vector(i - kQueries);
    uint8_t* const packed = i < kQueries ? bits.query(i) : bits.vector(i - kQueries);
    for (int64_t at = 0; at < kNumbers; ++at) {
      row[at] = static_cast<uint8_t>(draw.number(0, 255));
      if (static_cast<int8_t>(row[at]) > 0) packed[at / 8] = static_cast<uint8_t>(packed[at / 8] | 0x80 >> at % 8);
    }
  }
  bits.k = kFound;
  const Lists first = run(bits.args());
  expect_right(bits, first);
  bytes.k = 5;
  bytes.has_candidates = true;
  bytes.candidates = first.ids;
  for (int64_t q = 0; q <= kQueries; ++q) bytes.candidate_offsets.push_back(q * kFound);
  expect_right(bytes, run(bytes.args()));
}

struct Heard {
  std::vector<int64_t> done;
  int64_t all = 0;
  int32_t cancel = 0;
  bool cancels = false;
};

void hear(int64_t done, int64_t all, void* user) {
  auto* const heard = static_cast<Heard*>(user);
  heard->done.push_back(done);
  heard->all = all;
  if (heard->cancels) lffn_cancel(&heard->cancel, 1);
}

TEST(TopK, TellsItsProgressAndCanBeCancelled) {
  Problem problem;
  problem.size = 64;
  problem.n_queries = 300;
  problem.n_vectors = 20000;
  problem.make_room();
  for (const int32_t threads : {1, 3}) {
    Heard heard;
    lffn_top_k_args args = problem.args();
    args.num_threads = threads;
    args.progress = hear;
    args.progress_user = &heard;
    const Lists found = run(args);
    ASSERT_GT(heard.done.size(), 5u);
    for (size_t i = 1; i < heard.done.size(); ++i) EXPECT_GE(heard.done[i], heard.done[i - 1]);
    EXPECT_GT(heard.done.front(), 0);
    EXPECT_EQ(heard.all, 300 * 20000);
    EXPECT_EQ(heard.done.back(), heard.all);
    heard = {};
    heard.cancels = true;
    args.cancel = &heard.cancel;
    Lists cancelled = places(args);
    point(args, cancelled);
    EXPECT_EQ(lffn_top_k(&args), LFFN_ERROR_CANCELLED);
    EXPECT_EQ(heard.done.size(), 1u);
    heard.cancels = false;
    lffn_cancel(&heard.cancel, 0);
    EXPECT_TRUE(run(args) == found);
  }
}

}  // namespace
