// SPDX-License-Identifier: Apache-2.0
#include "runtime/threads.h"

#include <string>

#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/executor.h"
#include "runtime/forever.h"
#include "runtime/team.h"

namespace lffn {
namespace {

// With this model nothing is allocated when a thread first reads it; that could end the process if memory is short.
__attribute__((tls_model("initial-exec"))) thread_local OpenCall* current_call = nullptr;

}  // namespace

OpenCall::OpenCall() : outer_(current_call) { current_call = this; }
OpenCall::~OpenCall() { current_call = outer_; }
OpenCall* OpenCall::current() { return current_call; }

void AloneCall::loop(int64_t n_items, int32_t, LoopBody body, void* context) {
  for (int64_t item = 0; item < n_items; ++item) body(context, item, 0);
}

std::shared_ptr<Executor> make_executor(const std::string& name) {
  if (name.empty() || name == "team") return team_executor();
  if (name != "openmp") {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "LOOKUPFFN_EXECUTOR is %s; set it to team or openmp, or unset it",
         name.substr(0, 100).c_str());
  }
  std::shared_ptr<Executor> executor = openmp_executor();
  if (executor == nullptr) {
    fail(LFFN_ERROR_UNSUPPORTED, "LOOKUPFFN_EXECUTOR is openmp, but this build has no OpenMP; set it to team");
  }
  return executor;
}

const std::shared_ptr<Executor>& default_executor() {
  static Forever<const std::shared_ptr<Executor>> executor;
  return executor.get([] { return make_executor(environment().executor); });
}

int32_t resolve_threads(int32_t wanted, const Executor& executor) {
  if (wanted > 0) return wanted;
  return environment().num_threads > 0 ? environment().num_threads : executor.default_threads();
}

void parallel_for(int64_t n_items, int32_t num_threads, LoopBody body, void* context) {
  if (n_items <= 1 || num_threads <= 1) {
    for (int64_t item = 0; item < n_items; ++item) body(context, item, 0);
    return;
  }
  if (OpenCall* call = OpenCall::current()) return call->loop(n_items, num_threads, body, context);
  run_call(*default_executor(), num_threads, [&] { OpenCall::current()->loop(n_items, num_threads, body, context); });
}

}  // namespace lffn
