// SPDX-License-Identifier: Apache-2.0
// A search without memory fails and leaves nothing behind; with memory it takes what it says.
#include "tests/format/out_of_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/search/problem.h"
#include "tests/support/allocator.h"

namespace lffn {
namespace {

using namespace search_tests;

std::atomic<int64_t> most_bytes{0};

void* count_allocate(size_t size, size_t alignment, void* user) {
  void* const memory = hook_allocate(size, alignment, user);
  if (live_bytes > most_bytes) most_bytes = live_bytes.load();
  return memory;
}

class SearchOutOfMemory : public testing::Test {
 protected:
  SearchOutOfMemory() {
    const lffn_allocator allocator = allocator_of(count_allocate, hook_deallocate);
    EXPECT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
  }
  ~SearchOutOfMemory() override { EXPECT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK); }
};

Problem zeros(int32_t kind, int64_t size, int64_t queries, int64_t vectors, int64_t k) {
  Problem problem;
  problem.kind = kind;
  problem.measure = kind == LFFN_VECTORS_BITS ? LFFN_MEASURE_HAMMING : LFFN_MEASURE_DOT;
  problem.size = size;
  problem.n_queries = queries;
  problem.n_vectors = vectors;
  problem.k = k;
  problem.make_room();
  return problem;
}

void heard(int64_t, int64_t, void*) {}

TEST_F(SearchOutOfMemory, FailsAndLeavesNothing) {
  for (const int32_t kind : {LFFN_VECTORS_F32, LFFN_VECTORS_INT8, LFFN_VECTORS_BITS}) {
    const Problem problem = zeros(kind, 20, 12, 50, 3);
    lffn_top_k_args args = problem.args();
    args.num_threads = 1;
    args.progress = heard;
    Lists found = places(args);
    const Lists before = found;
    point(args, found);
    EXPECT_GT(survive([&] { return lffn_top_k(&args); }, [] {}, [&] { ASSERT_TRUE(found == before); }), 4);
    EXPECT_EQ(found.ids[1], 1);
  }
}

// As many places as no memory has.
TEST_F(SearchOutOfMemory, TooManyPlaces) {
  const Problem problem = zeros(LFFN_VECTORS_BITS, 8, 1, 4, 1);
  lffn_top_k_args args = problem.args();
  args.k = int64_t{1} << 55;
  Lists found = {{0}, {0}, {0}};
  point(args, found);
  EXPECT_EQ(lffn_top_k(&args), LFFN_ERROR_TOO_SMALL);
}

TEST_F(SearchOutOfMemory, TakesPlacesForEachQueryAndThread) {
  for (const int32_t kind : {LFFN_VECTORS_F32, LFFN_VECTORS_INT8, LFFN_VECTORS_BITS}) {
    const Problem problem = zeros(kind, 384, 2000, 3000, 100);
    for (const int32_t threads : {1, 2}) {
      lffn_top_k_args args = problem.args();
      args.num_threads = threads;
      most_bytes = 0;
      run(args);
      // 16 bytes for each place of 256 queries, their copies, and a tile's numbers for each thread.
      const int64_t places = 256 * 100 * 16 * threads, copies = 256 * 384 * 4, tiles = 128 * 1024 * threads;
      EXPECT_LE(most_bytes, places + copies + tiles) << kind << " " << threads;
      EXPECT_GT(most_bytes, places / 2);
    }
  }
}

}  // namespace
}  // namespace lffn
