// SPDX-License-Identifier: Apache-2.0
// The functions on runtimes.
#include <memory>

#include "api/boundary.h"
#include "api/runtime_handle.h"
#include "api/structs.h"
#include "layer/layer.h"
#include "runtime/environment.h"
#include "runtime/host_executor.h"
#include "runtime/memory.h"

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
