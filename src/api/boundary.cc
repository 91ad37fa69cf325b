#include "api/boundary.h"

#include <atomic>
#include <cstring>

namespace lffn {
namespace {

// A plain array: no allocation can fail, and no destructor has to run when a thread ends.
thread_local char last_text[1024] = "";
std::atomic<int64_t> handles{0};

}  // namespace

lffn_status report(lffn_status status, const char* text) noexcept {
  size_t length = strnlen(text, sizeof last_text - 1);
  // Never cut a character in half.
  if (text[length] != '\0') {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::memcpy(last_text, text, length);
  last_text[length] = '\0';
  return status;
}

const char* last_error() noexcept { return last_text; }

void need(const void* pointer, const char* name) {
  if (pointer == nullptr) fail(LFFN_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
}

void need_size(size_t struct_size, size_t first_version, const char* name) {
  if (struct_size < first_version) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s.struct_size is %zu, expected at least %zu; call its _init function first",
         name, struct_size, first_version);
  }
}

void count_handle(int64_t change) noexcept { handles.fetch_add(change, std::memory_order_relaxed); }
int64_t live_handles() noexcept { return handles.load(std::memory_order_relaxed); }

}  // namespace lffn
