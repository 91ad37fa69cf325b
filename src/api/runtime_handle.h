// SPDX-License-Identifier: Apache-2.0
// What an lffn_runtime stands for. Handles share it.
#pragma once

#include <memory>

#include "kernels/kernels.h"
#include "runtime/executor.h"
#include "runtime/hooks.h"

namespace lffn {

struct Runtime {
  Hooks hooks;
  std::shared_ptr<Executor> executor;
  const Kernels& kernels;
  int32_t num_threads;  // 0: no limit
};

}  // namespace lffn

struct lffn_runtime {
  std::shared_ptr<const lffn::Runtime> shared;
};

namespace lffn {

// What a handle keeps of its runtime; nullptr: the process's settings.
using SharedRuntime = std::shared_ptr<const Runtime>;
inline const Hooks* hooks_of(const SharedRuntime& runtime) { return runtime == nullptr ? nullptr : &runtime->hooks; }

}  // namespace lffn
