// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "lookupffn/run.h"

namespace lffn {

// Where the time of one call goes, if the caller asks. Runs in the calling thread: the stages follow one another, each
// on all threads.
class StageClock {
 public:
  // seconds: [LFFN_NUM_STAGES] for the result, or nullptr. layers: [num_layers, 2], attention and the feed-forward
  // block of each, or nullptr; filled as the call goes.
  StageClock(double* seconds, double* layers, size_t num_layers) : out_(seconds), layers_(layers) {
    if (layers_ != nullptr) std::fill_n(layers_, 2 * num_layers, 0.0);
    if (runs()) last_ = Clock::now();
  }
  // The laps that follow are this layer's, except those of LFFN_STAGE_OTHER.
  void enter(size_t layer) { layer_ = layer; }
  // Counts the time since the last lap for this stage.
  void lap(int stage) {
    if (!runs()) return;
    const Clock::time_point now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    seconds_[stage] += passed;
    if (layers_ != nullptr && stage != LFFN_STAGE_OTHER)
      layers_[2 * layer_ + (stage == LFFN_STAGE_FFN ? 1 : 0)] += passed;
    last_ = now;
  }
  // Called at the end, because a call that fails leaves its outputs alone.
  void hand_out() const {
    if (out_ != nullptr) std::copy(seconds_, seconds_ + LFFN_NUM_STAGES, out_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool runs() const { return out_ != nullptr || layers_ != nullptr; }

  double* out_;
  double* layers_;
  size_t layer_ = 0;
  Clock::time_point last_;
  double seconds_[LFFN_NUM_STAGES] = {};
};

}  // namespace lffn
