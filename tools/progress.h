// SPDX-License-Identifier: Apache-2.0
// A line on the terminal for work that takes seconds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace lffn::tools {

// Shows nothing unless standard error is a terminal, nothing in the first second, and clears its line at the end.
class Progress {
 public:
  // With a total it draws a bar, otherwise the count so far (if any) and the time.
  explicit Progress(std::string what, int64_t total = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(int64_t done) { done_.fetch_add(done, std::memory_order_relaxed); }

 private:
  void draw_until_stopped();

  const std::string what_;
  const int64_t total_;
  std::atomic<int64_t> done_{0};
  std::mutex mutex_;
  std::condition_variable stop_signal_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace lffn::tools
