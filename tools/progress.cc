// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace lffn::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSilent = std::chrono::seconds(1);
constexpr auto kPause = std::chrono::milliseconds(200);
constexpr int kBarWidth = 30;

std::string line(const std::string& what, int64_t done, int64_t total, double seconds) {
  char text[128];
  if (total > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const int filled = static_cast<int>(share * kBarWidth);
    const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
    const int end = std::snprintf(text, sizeof text, ": [%s] %3.0f %%, %.0f s", bar.c_str(), 100 * share, seconds);
    if (share > 0 && share < 1) {
      std::snprintf(text + end, sizeof text - static_cast<size_t>(end), ", about %.0f s left",
                    seconds * (1 / share - 1));
    }
  } else if (done > 0) {
    std::snprintf(text, sizeof text, ": %lld, %.0f s", static_cast<long long>(done), seconds);
  } else {
    std::snprintf(text, sizeof text, ": %.0f s", seconds);
  }
  return what + text;
}

}  // namespace

Progress::Progress(std::string what, int64_t total) : what_(std::move(what)), total_(total) {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { draw_until_stopped(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stop_signal_.notify_one();
  thread_.join();
}

void Progress::draw_until_stopped() {
  const Clock::time_point start = Clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  if (stop_signal_.wait_for(lock, kSilent, [this] { return stop_; })) return;
  do {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::fprintf(stderr, "\r\033[K%s", line(what_, done_.load(std::memory_order_relaxed), total_, seconds).c_str());
    std::fflush(stderr);
  } while (!stop_signal_.wait_for(lock, kPause, [this] { return stop_; }));
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace lffn::tools
