// SPDX-License-Identifier: Apache-2.0
// The options of all functions that load.
#pragma once

#include "api/runtime_handle.h"
#include "layer/layer.h"

namespace lffn {

// One call that loads. From here to its end the thread's memory and messages are those of the call's runtime.
class Loading {
 public:
  // NULL means the defaults. Throws Error.
  explicit Loading(const lffn_load_options* options);
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  const LoadOptions& options() const { return options_; }
  const Kernels& kernels() const { return kernels_; }
  const SharedRuntime& runtime() const { return runtime_; }
  const int32_t* cancel() const { return progress_.cancel(); }
  // To be called once all is loaded.
  void finish() { progress_.finish(); }

 private:
  explicit Loading(const lffn_load_options& given);

  SharedRuntime runtime_;
  UseHooks hooks_;
  const Kernels& kernels_;
  LoadProgress progress_;
  LoadOptions options_;
};

}  // namespace lffn
