// SPDX-License-Identifier: Apache-2.0
#include "runtime/log.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "runtime/hooks.h"
#include "runtime/short_lock.h"

namespace lffn {
namespace {

ShortLock mutex;  // of the two below: they change together
lffn_log_callback current = nullptr;
void* current_user = nullptr;

}  // namespace

void set_log_callback(lffn_log_callback callback, void* user) {
  std::lock_guard<ShortLock> lock(mutex);
  current = callback;
  current_user = user;
}

void log(int32_t level, const char* format, ...) {
  lffn_log_callback callback;
  void* user;
  const Hooks* const hooks = UseHooks::current();
  if (hooks != nullptr && hooks->log != nullptr) {
    callback = hooks->log;
    user = hooks->log_user;
  } else {
    std::lock_guard<ShortLock> lock(mutex);
    callback = current;
    user = current_user;
  }
  if (callback == nullptr) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  callback(level, text, user);
}

}  // namespace lffn
