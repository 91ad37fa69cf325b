// SPDX-License-Identifier: Apache-2.0
// What every function of the C interface is wrapped in.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "lookupffn/lookupffn.h"
#include "runtime/error.h"
#include "runtime/float_mode.h"
#include "runtime/printable.h"
#include "runtime/system.h"

namespace lffn {

void count_handle(int64_t change) noexcept;
int64_t live_handles() noexcept;

// Keeps the text of this thread's last failure. Never fails itself.
lffn_status report(lffn_status status, const char* text) noexcept;
const char* last_error() noexcept;

// Runs the body and turns whatever it throws into a status and a text.
template <typename Body>
lffn_status guarded(Body&& body) noexcept {
  const NoCancellation no_cancellation;
  const FloatMode float_mode;
  try {
    body();
    return LFFN_OK;
  } catch (const Error& error) {
    return report(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return report(LFFN_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (const std::length_error&) {
    return report(LFFN_ERROR_OUT_OF_MEMORY, "out of memory: a size is larger than any memory");
  } catch (const std::exception& error) {
    return report(LFFN_ERROR_INTERNAL, error.what());
  } catch (...) {
    return report(LFFN_ERROR_INTERNAL, "an unknown exception");
  }
}

// Frees a handle. A host's deallocate may be a cancellation point, and unwinding through a destructor ends the process.
template <typename Handle>
void free_handle(Handle* handle) noexcept {
  if (handle == nullptr) return;
  const NoCancellation no_cancellation;
  delete handle;
  count_handle(-1);
}

// All throw Error(LFFN_ERROR_INVALID_ARGUMENT).
void need(const void* pointer, const char* name);
// A text of the caller's, of `size` bytes; with SIZE_MAX it ends before its first zero byte.
std::string_view read_text(const char* text, size_t size, const char* name);
void check_count(int64_t count, const char* name);
void check_value(int32_t value, int32_t last, const char* name, const char* kind);
void check_flags(uint32_t flags, uint32_t known, const char* name);
void check_reserved(int64_t value, const char* name = "reserved");
void check_threads(int32_t num_threads, const char* name);
void check_max_tokens(int64_t max_tokens);
// [n + 1] numbers that begin with 0 and never fall.
void check_offsets(const int64_t* offsets, int64_t n);
// The same for numbers that begin anywhere.
void check_rising(const int64_t* offsets, int64_t n, const char* name);

}  // namespace lffn
