// SPDX-License-Identifier: Apache-2.0
// Calls that run in a parallel region of OpenMP, for hosts that want all work in their OpenMP threads.
#pragma once

#include <memory>

#include "runtime/executor.h"

namespace lffn {

// NULL where OpenMP is not built in.
std::shared_ptr<Executor> openmp_executor();

}  // namespace lffn
