// SPDX-License-Identifier: Apache-2.0
// How many threads of the operating system the callers of a layer get.
#include "runtime/threads.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "random_layer.h"

namespace lffn {
namespace {

constexpr int kCallers = 32;
constexpr int kThreads = 8;

// The process's threads.
int count_threads() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  EXPECT_NE(tasks, nullptr);
  for (const dirent* entry; (entry = readdir(tasks)) != nullptr;) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(tasks);
  return count;
}

// Runs the callers and returns how many threads there are once all have made their calls, and still live.
int threads_with_callers(const Layer& layer, const std::vector<float>& x, const std::vector<float>& expected) {
  std::mutex mutex;
  std::condition_variable changed;
  int warm = 0;
  bool counted = false;
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 3; ++call) {
        EXPECT_TRUE(same_bits(run(layer, x, static_cast<int64_t>(x.size())), expected));
      }
      std::unique_lock lock(mutex);
      ++warm;
      changed.notify_all();
      changed.wait(lock, [&] { return counted; });
    });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return warm == kCallers; });
  const int count = count_threads();
  counted = true;
  changed.notify_all();
  lock.unlock();
  for (std::thread& caller : callers) caller.join();
  return count;
}

TEST(Threads, CallersShareOneTeam) {
  const RandomLayer random(small_config());
  const Kernels& kernels = *all_kernels().back();
  LoadOptions options;
  options.num_threads = kThreads;
  const auto layer = random.make(kernels, options);
  const std::vector<float> x = random.inputs(256);
  const std::vector<float> expected = run(*random.make(kernels), x, 256);
  std::thread([] {}).join();  // ThreadSanitizer starts a thread of its own beside the first
  const int before = count_threads();
  for (int round = 0; round < 2; ++round) {
    EXPECT_LE(threads_with_callers(*layer, x, expected), before + kCallers + kThreads - 1);
  }
}

TEST(Threads, MoreThreadsThanThereMayBe) {
  const RandomLayer random(small_config());
  const Kernels& kernels = *all_kernels().back();
  LoadOptions options;
  options.num_threads = kMaxThreads;
  const std::vector<float> x = random.inputs(8 * 300);
  const std::vector<float> expected = run(*random.make(kernels), x, 300);
  EXPECT_TRUE(same_bits(run(*random.make(kernels, options), x, 8 * 300), expected));
}

// A sanitizer's own memory is far beyond any limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)

// Runs with room for the stacks of few more threads.
TEST(Threads, NoRoomForMoreThreads) {
  const RandomLayer random(small_config());
  const Kernels& kernels = *all_kernels().back();
  LoadOptions alone, several;
  alone.num_threads = 1;
  several.num_threads = kThreads;
  const auto layer = random.make(kernels, several);
  const std::vector<float> x = random.inputs(256);
  const std::vector<float> expected = run(*random.make(kernels, alone), x, 256);
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit small = {static_cast<rlim_t>(pages * 4096 + (20 << 20)), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  for (int call = 0; call < 3; ++call) EXPECT_TRUE(same_bits(run(*layer, x, 256), expected));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

#endif

}  // namespace
}  // namespace lffn
