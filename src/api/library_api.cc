// SPDX-License-Identifier: Apache-2.0
// The functions that concern the library as a whole, and those on runtimes.
#include <memory>

#include "api/boundary.h"
#include "api/handles.h"
#include "api/structs.h"
#include "kernels/kernels.h"
#include "layer/layer.h"
#include "runtime/environment.h"
#include "runtime/executor.h"
#include "runtime/hooks.h"
#include "runtime/idle_pool.h"
#include "runtime/memory.h"
#include "runtime/team.h"

using namespace lffn;

namespace {

Runtime make_runtime(const lffn_runtime_options& given) {
  check_threads(given.num_threads, "options.num_threads");
  check_flags(given.flags, 0, "options.flags");
  Hooks hooks;
  if (given.allocator != nullptr) {
    hooks.allocator = read_struct(given.allocator, "options.allocator");
    check_allocator(hooks.allocator);
  }
  hooks.log = given.log;
  hooks.log_user = given.log_user;
  check_environment();
  const Kernels& chosen = given.isa == nullptr ? kernels() : choose_kernels(given.isa, "options.isa");
  return {hooks,
          given.parallel_for == nullptr ? default_executor()
                                        : host_executor({given.parallel_for, given.parallel_user, given.num_threads}),
          chosen, given.num_threads};
}

}  // namespace

extern "C" {

uint32_t lffn_version(void) { return LFFN_VERSION_MAJOR * 10000 + LFFN_VERSION_MINOR * 100 + LFFN_VERSION_PATCH; }

#define LFFN_TEXT_OF(number) #number
#define LFFN_DOTTED(major, minor, patch) LFFN_TEXT_OF(major) "." LFFN_TEXT_OF(minor) "." LFFN_TEXT_OF(patch)

const char* lffn_version_text(void) {
  return LFFN_DOTTED(LFFN_VERSION_MAJOR, LFFN_VERSION_MINOR, LFFN_VERSION_PATCH) LFFN_VERSION_SUFFIX;
}

const char* lffn_status_name(lffn_status status) {
  switch (status) {
    case LFFN_OK:
      return "LFFN_OK";
    case LFFN_ERROR_INVALID_ARGUMENT:
      return "LFFN_ERROR_INVALID_ARGUMENT";
    case LFFN_ERROR_OUT_OF_MEMORY:
      return "LFFN_ERROR_OUT_OF_MEMORY";
    case LFFN_ERROR_IO:
      return "LFFN_ERROR_IO";
    case LFFN_ERROR_BAD_MODEL:
      return "LFFN_ERROR_BAD_MODEL";
    case LFFN_ERROR_UNSUPPORTED:
      return "LFFN_ERROR_UNSUPPORTED";
    case LFFN_ERROR_CANCELLED:
      return "LFFN_ERROR_CANCELLED";
    case LFFN_ERROR_INTERNAL:
      return "LFFN_ERROR_INTERNAL";
    case LFFN_ERROR_TOO_SMALL:
      return "LFFN_ERROR_TOO_SMALL";
    case LFFN_ERROR_BAD_TEXT:
      return "LFFN_ERROR_BAD_TEXT";
    case LFFN_ERROR_TOO_LONG:
      return "LFFN_ERROR_TOO_LONG";
    case LFFN_ERROR_NULL_TEXT:
      return "LFFN_ERROR_NULL_TEXT";
    default:
      return "LFFN_ERROR_UNKNOWN";
  }
}

const char* lffn_last_error(void) { return last_error(); }

const char* lffn_isa(void) {
  const char* name = "";
  guarded([&] { name = kernels().name; });
  return name;
}

int64_t lffn_live_handles(void) { return live_handles(); }

void lffn_set_default_log(lffn_log_callback callback, void* user) { set_log_callback(callback, user); }

void lffn_cancel(int32_t* cancel, int32_t request) {
  if (cancel != nullptr) __atomic_store_n(cancel, request, __ATOMIC_RELAXED);
}

void lffn_save_options_init_sized(lffn_save_options* options, size_t struct_size) { init_struct(options, struct_size); }

void lffn_trim(void) {
  const NoCancellation no_cancellation;
  AnyIdlePool::trim_all();
}

void lffn_shutdown_threads(void) {
  const NoCancellation no_cancellation;  // waits for threads, with the team in a state that no call can use
  shutdown_team();
}

void lffn_allocator_init_sized(lffn_allocator* allocator, size_t struct_size) { init_struct(allocator, struct_size); }

lffn_status lffn_set_default_allocator(const lffn_allocator* allocator) {
  return guarded([&] {
    if (allocator == nullptr) return set_allocator(nullptr);
    const lffn_allocator given = read_struct(allocator, "allocator");
    set_allocator(&given);
  });
}

void lffn_runtime_options_init_sized(lffn_runtime_options* options, size_t struct_size) {
  init_struct(options, struct_size);
}

lffn_status lffn_runtime_create(const lffn_runtime_options* options, lffn_runtime** out) {
  return guarded([&] {
    need(out, "out");
    lffn_runtime_options given = {};
    if (options != nullptr) given = read_struct(options, "options");
    *out = new lffn_runtime{std::make_shared<const Runtime>(make_runtime(given))};
    count_handle(1);
  });
}

void lffn_runtime_free(lffn_runtime* runtime) { free_handle(runtime); }

const char* lffn_runtime_isa(const lffn_runtime* runtime) {
  return runtime == nullptr ? lffn_isa() : runtime->shared->kernels.name;
}

}  // extern "C"
