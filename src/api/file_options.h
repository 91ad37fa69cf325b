// SPDX-License-Identifier: Apache-2.0
// The options of all functions that load or save.
#pragma once

#include "api/handles.h"
#include "api/structs.h"
#include "format/load_progress.h"
#include "model/config/load_options.h"

namespace lffn {

// One call that loads. From here to its end the thread's memory and messages are those of the call's runtime.
class Loading {
 public:
  // NULL means the defaults. Throws Error.
  explicit Loading(const lffn_load_options* options);
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  const ModelLoadOptions& options() const { return options_; }
  const Kernels& kernels() const { return kernels_; }
  const SharedRuntime& runtime() const { return runtime_; }
  const int32_t* cancel() const { return progress_.cancel(); }
  // To be called once all is loaded.
  void finish() { progress_.finish(); }

 private:
  explicit Loading(const lffn_load_options& given);

  ModelLoadOptions options_;  // first: numbers are checked before pointers are followed
  SharedRuntime runtime_;
  UseHooks hooks_;
  const Kernels& kernels_;
  LoadProgress progress_;
};

// save(LoadProgress&), with NULL for the defaults. Throws Error.
template <typename Save>
void save_with(const lffn_save_options* options, Save&& save) {
  const lffn_save_options given = options == nullptr ? lffn_save_options{} : read_struct(options, "options");
  LoadProgress progress(given.cancel, given.progress, given.progress_user, LoadProgress::kSaving);
  save(progress);
  progress.finish();
}

}  // namespace lffn
