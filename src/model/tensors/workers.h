// SPDX-License-Identifier: Apache-2.0
// What all stages of one call to a model share: kernels, threads, the caller's cancel flag.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/kernels.h"
#include "runtime/cancel_flag.h"
#include "runtime/float_mode.h"
#include "runtime/threads.h"

namespace lffn {

struct Workers {
  const Kernels& kernels;
  int32_t threads;
  bool flush_denormals;
  const int32_t* cancel;

  // How many threads are worth waking for so much work.
  int32_t threads_for(double flop) const {
    constexpr double kFlopPerThread = 1 << 20;
    return static_cast<int32_t>(std::clamp(flop / kFlopPerThread, 1.0, static_cast<double>(threads)));
  }

  // body(item, thread) for each item; cancelling is seen between items.
  template <typename Body>
  void run(int64_t items, int32_t on_threads, Body&& body) const {
    parallel_for(items, on_threads, [&](int64_t item, int32_t thread) {
      poll(cancel);
      const FloatMode mode(flush_denormals);
      body(item, thread);
    });
  }
};

// Rows of floats in scratch or in the caller's memory.
struct Rows {
  float* data = nullptr;
  int64_t stride = 0;
  float* row(int64_t r) const { return data + r * stride; }
};

}  // namespace lffn
