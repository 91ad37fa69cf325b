// SPDX-License-Identifier: Apache-2.0
// Loads a plugin with the static library inside, runs it and unloads it, again and again.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace {

int64_t count_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(Plugin, IsUnloadedAfterItsThreads) {
  const int64_t before = count_threads();
  for (int round = 0; round < 5; ++round) {
    void* const plugin = dlopen(LFFN_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << dlerror();
    const auto run = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_run"));
    const auto stop = reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_stop"));
    ASSERT_TRUE(run != nullptr && stop != nullptr);
    EXPECT_EQ(run(), 0);
    EXPECT_GT(count_threads(), before);
    stop();
    // A thread that was waited for may be listed a moment longer.
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (count_threads() != before && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    EXPECT_EQ(count_threads(), before);
    ASSERT_EQ(dlclose(plugin), 0);
    EXPECT_EQ(dlopen(LFFN_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr) << "still there";
  }
}

}  // namespace
