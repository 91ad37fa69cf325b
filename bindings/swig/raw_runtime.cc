// SPDX-License-Identifier: Apache-2.0
#include "raw_runtime.h"

#include "raw.h"

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)
SAME(LOG_ERROR, LFFN_LOG_ERROR);
SAME(LOG_WARNING, LFFN_LOG_WARNING);
SAME(LOG_INFO, LFFN_LOG_INFO);
#undef SAME

lffn_status runtime_create(int32_t num_threads, const char* isa, lffn_parallel_for parallel, void* parallel_user,
                           lffn_log_callback log, void* log_user, lffn_runtime** out) {
  lffn_runtime_options options;
  lffn_runtime_options_init(&options);
  options.num_threads = num_threads;
  options.isa = isa;
  options.parallel_for = parallel;
  options.parallel_user = parallel_user;
  options.log = log;
  options.log_user = log_user;
  return lffn_runtime_create(&options, out);
}

void runtime_free(lffn_runtime* runtime) { lffn_runtime_free(runtime); }
const char* runtime_isa(const lffn_runtime* runtime) { return lffn_runtime_isa(runtime); }
void set_log(lffn_log_callback process_log, void* process_log_user) {
  lffn_set_log_callback(process_log, process_log_user);
}
void trim() { lffn_trim(); }
