// How many threads of the operating system the callers of a layer get.
#include "runtime/threads.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "random_layer.h"

namespace lffn {
namespace {

constexpr int kCallers = 32;
constexpr int kThreads = 8;
constexpr char kName[] = "lffn-caller";

// The callers and their helpers, which inherit the name of the thread that made them.
int count_threads() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  EXPECT_NE(tasks, nullptr);
  for (const dirent* entry; (entry = readdir(tasks)) != nullptr;) {
    std::string name;
    std::getline(std::ifstream("/proc/self/task/" + std::string(entry->d_name) + "/comm"), name);
    if (name == kName) ++count;
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
      pthread_setname_np(pthread_self(), kName);
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

TEST(Threads, CallersShareABoundedNumberOfHelpers) {
  const RandomLayer random(small_config());
  const Kernels& kernels = *all_kernels().back();
  LoadOptions options;
  options.num_threads = kThreads;
  const auto layer = random.make(kernels, options);
  const std::vector<float> x = random.inputs(256);
  const std::vector<float> expected = run(*random.make(kernels), x, 256);
  const int most = std::min<int>(max_helpers(), kCallers * (kThreads - 1));
  // The second time tells whether the helpers of threads that have ended can be had again.
  for (int round = 0; round < 2; ++round) {
    const int count = threads_with_callers(*layer, x, expected);
    std::printf("%d callers times %d threads: %d threads\n", kCallers, kThreads, count);
    EXPECT_LE(count, kCallers + most);
    EXPECT_GE(count, LFFN_TEST_OPENMP ? kCallers + most / 2 : kCallers);
#ifndef __clang__  // whose OpenMP keeps helpers for other callers
    for (int wait = 0; wait < 1000 && count_threads() > 0; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(count_threads(), 0) << "helpers outlive their callers";
#endif
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

// Runs with room for the stacks of two more threads, where an OpenMP runtime by itself would end the process.
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
