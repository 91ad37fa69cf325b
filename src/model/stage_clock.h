// SPDX-License-Identifier: Apache-2.0
// Where the time of one call goes, for those who ask.
#pragma once

#include <algorithm>
#include <chrono>

#include "lookupffn/lookupffn.h"

namespace lffn {

// Runs in the calling thread: the stages follow one another, each on all threads.
class StageClock {
 public:
  // seconds: [LFFN_NUM_STAGES] for the result, or nullptr.
  explicit StageClock(double* seconds) : out_(seconds) {
    if (out_ != nullptr) last_ = Clock::now();
  }
  // What passed since the last lap was spent in this stage.
  void lap(int stage) {
    if (out_ == nullptr) return;
    const Clock::time_point now = Clock::now();
    seconds_[stage] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  // At the end, as a call that fails leaves its outputs alone.
  void hand_out() const {
    if (out_ != nullptr) std::copy(seconds_, seconds_ + LFFN_NUM_STAGES, out_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  double* out_;
  Clock::time_point last_;
  double seconds_[LFFN_NUM_STAGES] = {};
};

}  // namespace lffn
