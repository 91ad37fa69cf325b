// SPDX-License-Identifier: Apache-2.0
// Whether a helper's CPU has other things to do.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lffn {

// If the system stops a helper in the middle of an item, a call waits until the helper runs again, milliseconds later.
// So a helper offers its CPU before its share is used up, with no item begun. If others take the CPU for a while, and
// have taken more than a quarter of its time lately, the helper rests, longer each time. A program that takes less, as
// at nice 10, also runs for milliseconds, but seldom: resting would cost more than waiting for it.
//
// Clock: now(), in nanoseconds; thread_time(), how long the thread has had a CPU; yield(), which offers it to others.
template <typename Clock>
class Neighbours {
 public:
  // To be asked with no item begun. True: rest.
  bool busy() {
    const int64_t time = Clock::now();
    if (time - since_ < kStint) return false;
    const bool stopped = time - since_ - (Clock::thread_time() - ran_before_) > kNoticed;
    if (!stopped) Clock::yield();
    return took_much();
  }
  // To be called when the helper starts after a sleep.
  void start() {
    since_ = Clock::now();
    ran_before_ = Clock::thread_time();
  }
  // How long to rest.
  int64_t rest() {
    const int64_t time = Clock::now();
    rest_ = time - rested_ > 4 * rest_ ? kShortestRest : std::min(2 * rest_, kLongestRest);
    rested_ = time + rest_;
    if (rest_ == kLongestRest) {  // others may have become nice, which takes some ten milliseconds to show
      ran_ = kLately / 4;
      lost_ = 0;
    }
    return rest_;
  }

 private:
  static constexpr int64_t kMillisecond = 1000000;
  static constexpr int64_t kStint = kMillisecond, kNoticed = kMillisecond / 10;
  static constexpr int64_t kShortestRest = 5 * kMillisecond, kLongestRest = 250 * kMillisecond;
  static constexpr int64_t kLately = 60 * kMillisecond;

  // Counts the time that the helper ran and lost since the last call. True: it lost some now, and much lately.
  bool took_much() {
    const int64_t since = since_, ran_before = ran_before_;
    start();
    const int64_t ran = ran_before_ - ran_before, lost = since_ - since - ran;
    ran_ += ran;
    lost_ += lost;
    if (ran_ + lost_ > kLately) {
      ran_ /= 2;
      lost_ /= 2;
    }
    return lost > kNoticed && 3 * lost_ > ran_;
  }

  int64_t since_ = 0, ran_before_ = 0;
  int64_t ran_ = kLately / 2, lost_ = 0;  // lately; a helper begins as if it had been alone
  int64_t rest_ = 0, rested_ = 0;
};

}  // namespace lffn
