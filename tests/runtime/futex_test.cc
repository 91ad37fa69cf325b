// SPDX-License-Identifier: Apache-2.0
// Sleeping on a number: as Linux does it, and in another program as other systems do.
#include "runtime/futex.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <thread>
#include <vector>

namespace lffn {
namespace {

int64_t milliseconds_of(void (*action)()) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count();
}

TEST(Futex, DoesNotSleepOnAChangedNumber) {
  const std::atomic<uint32_t> word{1};
  futex_wait(word, 0);
  EXPECT_LT(milliseconds_of([] {
              const std::atomic<uint32_t> other{1};
              futex_wait_for(other, 0, int64_t{60} * 1000000000);
            }),
            30000);
}

TEST(Futex, SleepsForSoLong) {
  EXPECT_GE(milliseconds_of([] {
              const std::atomic<uint32_t> word{0};
              futex_wait_for(word, 0, 30000000);
            }),
            29);
}

TEST(Futex, WakesAtMostSoManyOfThoseWhoSleepOnTheNumber) {
  constexpr int kThreads = 6;
  const std::atomic<uint32_t> word{0};
  std::atomic<uint32_t> other{0};
  std::atomic<int> woken{0};
  std::atomic<bool> other_woken{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      futex_wait(word, 0);  // once: whoever is woken by mistake is counted
      ++woken;
    });
  }
  threads.emplace_back([&] {
    futex_wait(other, 0);
    other_woken = true;
  });
  const auto settle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  settle();
  EXPECT_EQ(woken, 0);
  for (int sent = 1; woken == 0; ++sent) {  // more than once only if they were not asleep yet
    futex_wake(word, 1);
    settle();
    EXPECT_LE(woken, sent);
  }
  while (woken < kThreads) {
    futex_wake(word, INT_MAX);
    settle();
  }
  EXPECT_FALSE(other_woken);
  other = 1;
  futex_wake(other, 1);
  for (std::thread& thread : threads) thread.join();
}

TEST(Futex, LosesNoWakeUp) {
  constexpr uint32_t kRounds = 5000;
  std::atomic<uint32_t> ball{0};
  const auto play = [&](uint32_t mine) {
    for (uint32_t round = mine; round < kRounds; round += 2) {
      for (uint32_t seen; (seen = ball.load()) != round;) futex_wait(ball, seen);
      ball.store(round + 1);
      futex_wake(ball, 1);
    }
  };
  std::thread first(play, 0), second(play, 1);
  first.join();
  second.join();
  EXPECT_EQ(ball, kRounds);
}

#ifndef LFFN_TEST_SANITIZED  // a sanitizer's runtime does not survive this fork

TEST(Futex, WorksInAChildForkedWhileOthersSleepAndWake) {
#ifdef LFFN_TEST_EMULATED
  GTEST_SKIP() << "qemu ends a child of a process with several threads as soon as it starts a thread";
#endif
  std::atomic<bool> stop{false};
  std::atomic<uint32_t> word{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      while (!stop) {
        if (i == 0) futex_wait_for(word, 0, 1000);
        if (i != 0) futex_wake(word, 1);
      }
    });
  }
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(120);
      std::atomic<uint32_t> own{0};
      std::thread waker([&] {
        own = 1;
        futex_wake(own, 1);
      });
      while (own == 0) futex_wait(own, 0);
      waker.join();
      futex_wait_for(word, 0, 1000);
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

#endif

}  // namespace
}  // namespace lffn
