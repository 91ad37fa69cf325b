// SPDX-License-Identifier: Apache-2.0
// The options of all functions that save.
#pragma once

#include "api/structs.h"
#include "format/load_progress.h"

namespace lffn {

// save(LoadProgress&), with NULL for the defaults. Throws Error.
template <typename Save>
void save_with(const lffn_save_options* options, Save&& save) {
  const lffn_save_options given = options == nullptr ? lffn_save_options{} : read_struct(options, "options");
  LoadProgress progress(given.cancel, given.progress, given.progress_user, LoadProgress::kSaving);
  save(progress);
  progress.finish();
}

}  // namespace lffn
