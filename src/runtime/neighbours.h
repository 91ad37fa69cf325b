// SPDX-License-Identifier: Apache-2.0
// Whether a helper's CPU has other things to do.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lffn {

// A helper that the system stops in the midst of an item keeps a call waiting until it is let on, milliseconds later.
// So it offers its CPU before its share is used up, with no item begun. Where others take it for a while, and have
// taken more than a quarter of its time lately, it rests, longer each time. One that takes less, as at nice 10, is let
// on for milliseconds, too, but seldom: resting would cost more than waiting for it.
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
    if (rest_ == kLongestRest) {  // others may have become nice: that shows in some ten milliseconds only
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

  // Counts what the helper ran and lost since the last time. True: it lost some, and much lately.
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
