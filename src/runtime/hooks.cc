// SPDX-License-Identifier: Apache-2.0
#include "runtime/hooks.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "runtime/short_lock.h"

namespace lffn {
namespace {

// With this model nothing is allocated when a thread first reads it; that could end the process if memory is short.
__attribute__((tls_model("initial-exec"))) thread_local const Hooks* current_hooks = nullptr;

}  // namespace

UseHooks::UseHooks(const Hooks* hooks) : outer_(current_hooks) { current_hooks = hooks; }
UseHooks::~UseHooks() { current_hooks = outer_; }
const Hooks* UseHooks::current() { return current_hooks; }

namespace {

ShortLock mutex;  // of the two below: they change together
lffn_log_callback current = nullptr;
void* current_user = nullptr;

// The largest length, at most `size`, at which the text ends with a whole character of UTF-8.
size_t whole_characters(const char* text, size_t size) {
  size_t begin = size;  // of the last character
  while (begin > 0 && (text[begin - 1] & 0xc0) == 0x80) --begin;
  if (begin == 0) return size;
  const auto first = static_cast<unsigned char>(text[begin - 1]);
  const size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return size - (begin - 1) < bytes ? begin - 1 : size;
}

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
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length >= static_cast<int>(sizeof text)) text[whole_characters(text, sizeof text - 1)] = '\0';
  callback(level, text, user);
}

}  // namespace lffn
