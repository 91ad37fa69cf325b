// SPDX-License-Identifier: Apache-2.0
// The library's own helper threads: one team for all handles.
#pragma once

#include <memory>

#include "runtime/executor.h"

namespace lffn {

// A call waits only for helpers that have begun one of its items, and helpers sleep while there is nothing to do. They
// are started by the first call that wants them, more by the first that wants more, and stay until the process ends or
// shutdown_team() is called. Where the system gives no thread, calls do without.
std::shared_ptr<Executor> team_executor();

// Ends the helpers and waits until they are gone. Calls in progress go on without them; a later call starts helpers
// again.
void shutdown_team();

}  // namespace lffn
