// SPDX-License-Identifier: Apache-2.0
// Where a call's memory comes from and where its messages go, for handles that do not use the process's settings.
#pragma once

#include "lookupffn/runtime.h"

namespace lffn {

struct Hooks {
  lffn_allocator allocator = {};    // allocate is NULL: the process's
  lffn_log_callback log = nullptr;  // likewise
  void* log_user = nullptr;
};

// While it lives, this thread uses the allocator and the log of the hooks; nullptr: the process's.
class UseHooks {
 public:
  explicit UseHooks(const Hooks* hooks);
  ~UseHooks();
  UseHooks(const UseHooks&) = delete;
  UseHooks& operator=(const UseHooks&) = delete;

  static const Hooks* current();

 private:
  const Hooks* outer_;
};

// Sets who receives the process's messages. NULL: nobody.
void set_log_callback(lffn_log_callback callback, void* user);

// A message for the host's log, formatted as by printf. Does nothing unless a callback is set.
void log(int32_t level, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace lffn
