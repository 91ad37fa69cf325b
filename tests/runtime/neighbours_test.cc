// SPDX-License-Identifier: Apache-2.0
// When a helper rests beside other programs, on a made-up CPU.
#include "runtime/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace lffn {
namespace {

constexpr int64_t kMillisecond = 1000000, kMicrosecond = 1000;

// One CPU for the helper and a neighbour who always wants it. Who is let on stays for a few milliseconds, or until it
// yields to one that is owed time.
struct Cpu {
  static constexpr int64_t kTurn = 4 * kMillisecond;
  static inline int64_t time, ran;
  static inline int64_t weight;     // of the neighbour, where the helper's is 1024; 0: there is none
  static inline double owed;        // to the neighbour
  static inline int64_t mid_items;  // how often the helper was stopped elsewhere than where it yields

  static int64_t now() { return time; }
  static int64_t thread_time() { return ran; }
  static void yield() {
    time += kMicrosecond;
    if (owed > 0) let_on();
  }

  static void begin(int64_t neighbours_weight) {
    time = 1000 * kMillisecond;
    ran = mid_items = 0;
    owed = 0;
    weight = neighbours_weight;
  }
  static void work(int64_t nanoseconds) {
    for (; nanoseconds > 0; nanoseconds -= 50 * kMicrosecond) {
      time += 50 * kMicrosecond;
      ran += 50 * kMicrosecond;
      owed += 50.0 * kMicrosecond * static_cast<double>(weight) / 1024;
      if (owed <= kTurn) continue;
      ++mid_items;
      let_on();
    }
  }
  static void let_on() {
    time += kTurn;
    owed -= kTurn;
  }
};

// The share of so many seconds that the helper worked.
double share_of(Neighbours<Cpu>& neighbours, double seconds) {
  neighbours.start();
  const int64_t begin = Cpu::time, ran = Cpu::ran;
  while (static_cast<double>(Cpu::time - begin) < seconds * 1e9) {
    Cpu::work(200 * kMicrosecond);  // an item
    if (!neighbours.busy()) continue;
    Cpu::time += neighbours.rest();
    Cpu::owed = 0;  // the neighbour had its time
    neighbours.start();
  }
  return static_cast<double>(Cpu::ran - ran) / static_cast<double>(Cpu::time - begin);
}

// Weights that Linux gives processes at nice 0, 5, 10 and 19.
constexpr int64_t kNice0 = 1024, kNice10 = 110, kNice19 = 15;

TEST(Neighbours, NobodyMakesAHelperRest) {
  Cpu::begin(0);
  Neighbours<Cpu> neighbours;
  EXPECT_GT(share_of(neighbours, 10), 0.99);
}

TEST(Neighbours, OneThatIsNiceLeavesTheHelperItsShare) {
  for (const int64_t weight : {kNice10, kNice19}) {
    Cpu::begin(weight);
    Neighbours<Cpu> neighbours;
    const double fair = 1024 / static_cast<double>(1024 + weight);
    EXPECT_NEAR(share_of(neighbours, 10), fair, 0.01) << weight;
    EXPECT_EQ(Cpu::mid_items, 0) << weight;
  }
}

TEST(Neighbours, OneThatTakesHalfMakesTheHelperRest) {
  Cpu::begin(kNice0);
  Neighbours<Cpu> neighbours;
  EXPECT_LT(share_of(neighbours, 1), 0.15);
  EXPECT_LT(share_of(neighbours, 10), 0.05);
  EXPECT_EQ(Cpu::mid_items, 0);
}

TEST(Neighbours, AHelperComesBackWhenItsNeighbourEnds) {
  for (const int64_t later : {int64_t{0}, kNice10}) {
    Cpu::begin(kNice0);
    Neighbours<Cpu> neighbours;
    share_of(neighbours, 10);
    Cpu::weight = later;
    Cpu::owed = 0;
    EXPECT_GT(share_of(neighbours, 10), 0.85) << later;
  }
}

TEST(Neighbours, ADelayNowAndThenIsNoReasonToRest) {
  Cpu::begin(0);
  Neighbours<Cpu> neighbours;
  neighbours.start();
  for (int second = 0; second < 10; ++second) {
    Cpu::time += Cpu::kTurn;
    for (int item = 0; item < 5000; ++item) {
      Cpu::work(200 * kMicrosecond);
      ASSERT_FALSE(neighbours.busy());
    }
  }
}

TEST(Neighbours, RestsGrowWhileTheyFollowEachOther) {
  Cpu::begin(0);
  Neighbours<Cpu> neighbours;
  int64_t expected = 5 * kMillisecond;
  for (int times = 0; times < 10; ++times) {
    const int64_t rest = neighbours.rest();
    EXPECT_EQ(rest, expected);
    Cpu::time += rest + 2 * kMillisecond;
    expected = std::min(2 * expected, 250 * kMillisecond);
  }
  Cpu::time += 2000 * kMillisecond;
  EXPECT_EQ(neighbours.rest(), 5 * kMillisecond);
}

}  // namespace
}  // namespace lffn
