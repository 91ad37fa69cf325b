// SPDX-License-Identifier: Apache-2.0
// Objects made when first asked for: once, by whoever comes first, and again in a child that was forked amid it.
#include "runtime/forever.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace lffn {
namespace {

int& counted(std::atomic<int>& calls) {
  static Forever<int> object;
  return object.get([&] {
    std::this_thread::yield();
    return 40 + ++calls;
  });
}

TEST(Forever, IsMadeOnceByManyThreads) {
  std::atomic<int> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(counted(calls), 41); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(&counted(calls), &counted(calls));
}

TEST(Forever, IsTriedAgainAfterAnException) {
  static Forever<const int> object;
  EXPECT_THROW(object.get([]() -> int { throw std::runtime_error("not yet"); }), std::runtime_error);
  EXPECT_EQ(object.get([] { return 5; }), 5);
  EXPECT_EQ(object.get([] { return 6; }), 5);
}

#ifndef LFFN_TEST_SANITIZED  // a sanitizer's runtime does not survive this fork

TEST(Forever, IsMadeByAChildForkedWhileAnotherThreadMakesIt) {
  static Forever<const int> object;
  std::atomic<bool> begun{false}, go_on{false};
  std::thread maker([&] {
    const int made = object.get([&] {
      begun = true;
      while (!go_on) std::this_thread::yield();
      return 1;
    });
    EXPECT_EQ(made, 1);
  });
  while (!begun) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    _exit(object.get([] { return 2; }) == 2 && object.get([] { return 3; }) == 2 ? 0 : 1);
  }
  int status = -1;
  const pid_t ended = child < 0 ? child : waitpid(child, &status, 0);
  go_on = true;
  maker.join();
  ASSERT_GT(child, 0);
  ASSERT_EQ(ended, child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  EXPECT_EQ(object.get([] { return 4; }), 1);
}

#endif

}  // namespace
}  // namespace lffn
