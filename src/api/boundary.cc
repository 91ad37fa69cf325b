// SPDX-License-Identifier: Apache-2.0
#include "api/boundary.h"

#include <atomic>
#include <cstring>

#include "format/utf8.h"
#include "runtime/executor.h"
#include "runtime/system.h"

namespace lffn {
namespace {

// This model does not allocate when a thread first touches the variable, which would end the process where there is no
// memory.
__attribute__((tls_model("initial-exec"))) thread_local bool text_lost = false;

std::atomic<int64_t> handles{0};

}  // namespace

lffn_status report(lffn_status status, const char* text) noexcept {
  char* last_text = find_thread_text();
  if (last_text == nullptr) last_text = make_thread_text();
  text_lost = last_text == nullptr;
  if (text_lost) return status;
  size_t length = strnlen(text, kThreadTextSize - 1);
  // Never cut a character in half.
  if (text[length] != '\0') {
    while (length > 0 && is_inside_character(text[length])) --length;
  }
  std::memcpy(last_text, text, length);
  // A path in the message may be any bytes.
  for (size_t at = 0; (at += valid_utf8_length({last_text + at, length - at})) < length;) last_text[at] = '?';
  last_text[length] = '\0';
  return status;
}

const char* last_error() noexcept {
  if (text_lost) return "something failed, and there was no memory to say what";
  const char* const text = find_thread_text();
  return text == nullptr ? "" : text;
}

void need(const void* pointer, const char* name) {
  if (pointer == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
}

std::string_view read_text(const char* text, size_t size, const char* name) {
  if (size == 0) return "";  // not a null pointer, which readers would take for no text
  need(text, name);
  if (size == SIZE_MAX) return text;
  if (size > PTRDIFF_MAX) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s: %zu bytes are more than any memory holds", name, size);
  return {text, size};
}

void check_count(int64_t count, const char* name) {
  if (count < 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %lld, expected 0 or more", name, printable(count));
  }
  // What is counted takes 8 bytes of the caller's memory or more: pointers, offsets, rows.
  if (count > PTRDIFF_MAX / 8) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %lld, more than any memory holds", name, printable(count));
  }
}

void check_value(int32_t value, int32_t last, const char* name, const char* kind) {
  if (value < 0 || value > last) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %d, expected an %s value", name, value, kind);
  }
}

void check_flags(uint32_t flags, uint32_t known, const char* name) {
  if ((flags & ~known) != 0) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is 0x%x, which has bits this version does not know", name, flags);
  }
}

void check_reserved(int64_t value, const char* name) {
  if (value != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %lld, expected 0", name, printable(value));
}

void check_threads(int32_t num_threads, const char* name) {
  if (num_threads < 0 || num_threads > kMaxThreads) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is %d, expected 0 to %d", name, num_threads, kMaxThreads);
  }
}

void check_max_tokens(int64_t max_tokens) {
  if (max_tokens < LFFN_MAX_TOKENS_NEVER) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "max_tokens is %lld, expected a number above 0 or an LFFN_MAX_TOKENS_ value",
         printable(max_tokens));
  }
}

void check_offsets(const int64_t* offsets, int64_t n) {
  need(offsets, "offsets");
  if (offsets[0] != 0) fail(LFFN_ERROR_INVALID_ARGUMENT, "offsets[0] is %lld, expected 0", printable(offsets[0]));
  check_rising(offsets, n, "offsets");
}

void check_rising(const int64_t* offsets, int64_t n, const char* name) {
  for (int64_t s = 0; s < n; ++s) {
    if (offsets[s + 1] >= offsets[s]) continue;
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s[%lld] is %lld, less than %s[%lld], %lld", name, printable(s + 1),
         printable(offsets[s + 1]), name, printable(s), printable(offsets[s]));
  }
}

void count_handle(int64_t change) noexcept { handles.fetch_add(change, std::memory_order_relaxed); }
int64_t live_handles() noexcept { return handles.load(std::memory_order_relaxed); }

}  // namespace lffn
