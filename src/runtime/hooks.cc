// SPDX-License-Identifier: Apache-2.0
#include "runtime/hooks.h"

namespace lffn {
namespace {

// Not allocated when a thread first reads it, which could end the process where memory is short.
__attribute__((tls_model("initial-exec"))) thread_local const Hooks* current_hooks = nullptr;

}  // namespace

UseHooks::UseHooks(const Hooks* hooks) : outer_(current_hooks) { current_hooks = hooks; }
UseHooks::~UseHooks() { current_hooks = outer_; }
const Hooks* UseHooks::current() { return current_hooks; }

}  // namespace lffn
