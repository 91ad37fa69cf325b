// SPDX-License-Identifier: Apache-2.0
// What every executor promises: each item once, a thread number for one item at a time, exceptions in the caller.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cpu_count.h"
#include "runtime/executor.h"
#include "runtime/threads.h"

namespace lffn {
namespace {

// Hosts that run their items one after the other, the last first, and each in a thread of its own.
void run_backwards(void*, int64_t n_items, void (*run)(void*, int64_t), void* context) {
  while (n_items > 0) run(context, --n_items);
}
void run_in_threads(void*, int64_t n_items, void (*run)(void*, int64_t), void* context) {
  std::vector<std::thread> threads;
  for (int64_t item = 0; item < n_items; ++item) threads.emplace_back(run, context, item);
  for (std::thread& thread : threads) thread.join();
}

class Executors : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#ifndef LFFN_TEST_OPENMP
    if (std::string(GetParam()) == "openmp") GTEST_SKIP() << "built without OpenMP";
#endif
    const std::string name = GetParam();
    executor_ = name == "host backwards" ? host_executor({run_backwards, nullptr, 0})
                : name == "host threads" ? host_executor({run_in_threads, nullptr, 3})
                                         : make_executor(name);
  }
  std::shared_ptr<Executor> executor_;
};

// Runs a loop whose items check that they come once and alone in their thread number.
void check_loop(int64_t n_items, int32_t threads) {
  std::vector<std::atomic<int>> times(static_cast<size_t>(n_items)), busy(static_cast<size_t>(threads));
  std::atomic<int> bad{0};
  parallel_for(n_items, threads, [&](int64_t item, int32_t thread) {
    if (item < 0 || item >= n_items || thread < 0 || thread >= threads) {
      ++bad;
      return;
    }
    if (busy[static_cast<size_t>(thread)].fetch_add(1) != 0) ++bad;
    ++times[static_cast<size_t>(item)];
    busy[static_cast<size_t>(thread)].fetch_sub(1);
  });
  EXPECT_EQ(bad, 0);
  for (const std::atomic<int>& count : times) ASSERT_EQ(count, 1);
}

TEST_P(Executors, RunEachItemOnce) {
  for (const int32_t threads : {1, 2, 3, 8}) {
    run_call(*executor_, threads, [&] {
      for (const int64_t items : {0, 1, 2, 7, 1000}) check_loop(items, threads);
    });
  }
}

TEST_P(Executors, RunShortLoopsInARow) {
  const int loops = std::string(GetParam()) == "host threads" ? 100 : 3000;
  int64_t sum = 0;
  run_call(*executor_, 4, [&] {
    for (int loop = 0; loop < loops; ++loop) {
      std::atomic<int64_t> items{0};
      parallel_for(1 + loop % 9, 1 + loop % 5, [&](int64_t item, int32_t) { items += item + 1; });
      sum += items;
    }
  });
  int64_t expected = 0;
  for (int loop = 0; loop < loops; ++loop) expected += (1 + loop % 9) * (2 + loop % 9) / 2;
  EXPECT_EQ(sum, expected);
}

TEST_P(Executors, RethrowTheFirstExceptionWhenNoItemIsAtWork) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> at_work{0}, done{0};
    bool thrown = false;
    run_call(*executor_, 4, [&] {
      try {
        parallel_for(100, 4, [&](int64_t item, int32_t) {
          ++at_work;
          if (item == round % 100) {
            --at_work;
            throw std::runtime_error("item " + std::to_string(item));
          }
          ++done;
          --at_work;
        });
      } catch (const std::runtime_error& error) {
        thrown = true;
        EXPECT_EQ(error.what(), "item " + std::to_string(round % 100));
      }
      EXPECT_EQ(at_work, 0);
      check_loop(50, 4);  // nothing is left of the failure
    });
    EXPECT_TRUE(thrown);
    EXPECT_LT(done, 100);
  }
}

TEST_P(Executors, LetExceptionsOutOfACall) {
  EXPECT_THROW(run_call(*executor_, 4, [] { throw std::runtime_error("outside a loop"); }), std::runtime_error);
  EXPECT_EQ(OpenCall::current(), nullptr);
  run_call(*executor_, 4, [] { check_loop(100, 4); });
}

TEST_P(Executors, ServeManyCallersAtOnce) {
  const int calls = std::string(GetParam()) == "host threads" ? 10 : 100;
  std::vector<std::thread> callers;
  for (int i = 0; i < 12; ++i) {
    callers.emplace_back([this, i, calls] {
      for (int call = 0; call < calls; ++call) {
        run_call(*executor_, 2 + i % 3, [&] {
          check_loop(20, 2 + i % 3);
          check_loop(3, 2);
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_P(Executors, TakeACallInsideACallAsAPartOfIt) {
  run_call(*executor_, 2, [&] {
    const OpenCall* const outer = OpenCall::current();
    run_call(*executor_, 8, [&] { EXPECT_EQ(OpenCall::current(), outer); });
  });
}

INSTANTIATE_TEST_SUITE_P(All, Executors, testing::Values("team", "openmp", "host backwards", "host threads"));

#ifdef LFFN_TEST_OPENMP
std::set<std::string> threads_of_process() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ids.insert(task.path().filename());
  return ids;
}

// Threads that libgomp ends look once more at memory that it frees when the thread that began them ends.
TEST(OpenMpExecutor, EndsNoThreadOfARegionBeforeItsFirst) {
  if (usable_cpus() < 2) GTEST_SKIP() << "a caller with one CPU works alone";
  const std::shared_ptr<Executor> executor = make_executor("openmp");
  std::thread caller([&] {
    const std::set<std::string> before = threads_of_process();
    run_call(*executor, 8, [] { check_loop(100, 8); });
    // Seven, and those that were started to see whether it can be done and are still ending.
    std::set<std::string> began;
    for (const std::string& id : threads_of_process()) {
      if (before.count(id) == 0) began.insert(id);
    }
    for (const int32_t threads : {2, 1, 3}) run_call(*executor, threads, [=] { check_loop(100, threads); });
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // for those that end
    size_t left = 0;
    for (const std::string& id : threads_of_process()) left += began.count(id);
    EXPECT_GE(left, 7u);
  });
  caller.join();
}
#endif

// One that breaks its promise: it leaves all items out, or runs them twice.
TEST(HostExecutor, SurvivesABadHost) {
  const auto nothing = [](void*, int64_t, void (*)(void*, int64_t), void*) {};
  run_call(*host_executor({nothing, nullptr, 2}), 4, [] { check_loop(100, 4); });
  const auto twice = [](void*, int64_t n_items, void (*run)(void*, int64_t), void* context) {
    for (int64_t item = 0; item < 2 * n_items; ++item) run(context, item / 2);
  };
  run_call(*host_executor({twice, nullptr, 2}), 4, [] { check_loop(100, 4); });
}

TEST(HostExecutor, TellsItsNumberOfThreads) {
  EXPECT_EQ(host_executor({run_backwards, nullptr, 5})->default_threads(), 5);
  EXPECT_GE(host_executor({run_backwards, nullptr, 0})->default_threads(), 1);
}

TEST(ExecutorNames, AreChecked) {
  EXPECT_THROW(make_executor("openMP"), std::runtime_error);
  EXPECT_NE(make_executor(""), nullptr);
}

TEST(Loops, OutsideACallUseTheDefaultExecutor) { check_loop(100, 3); }

}  // namespace
}  // namespace lffn
