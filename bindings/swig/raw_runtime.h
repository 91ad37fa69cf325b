// SPDX-License-Identifier: Apache-2.0
// What handles share, and hooks of the process, in the manner of raw.h.
#ifndef LOOKUPFFN_BINDINGS_RAW_RUNTIME_H
#define LOOKUPFFN_BINDINGS_RAW_RUNTIME_H

#include <lookupffn/lookupffn.h>

// parallel, log and isa, which has a closing zero, may be null.
lffn_status runtime_create(int32_t num_threads, const char* isa, lffn_parallel_for parallel, void* parallel_user,
                           lffn_log_callback log, void* log_user, lffn_runtime** out);
void runtime_free(lffn_runtime* runtime);
const char* runtime_isa(const lffn_runtime* runtime);

// Who gets the lines of all that is loaded without a runtime that has a log of its own; null for nobody.
void set_log(lffn_log_callback process_log, void* process_log_user);

// Gives back the scratch memory that handles keep from call to call.
void trim();

#endif  // LOOKUPFFN_BINDINGS_RAW_RUNTIME_H
