// SPDX-License-Identifier: Apache-2.0
// Search among vectors, in the manner of raw.h.
#ifndef LOOKUPFFN_BINDINGS_RAW_SEARCH_H
#define LOOKUPFFN_BINDINGS_RAW_SEARCH_H

#include <lookupffn/lookupffn.h>

// search_numbers is a row of SEARCH_ numbers; without candidates, SEARCH_N_CANDIDATES is -1. Of the pointers, runtime,
// scales, vector_ids, taking_part, candidates, candidate_offsets, cancel and run_progress may be null. counts
// [n_queries], ids and scores [n_queries, k] hold the start on entry, counts being 0 at first, and the result on
// return. Arrays that are only read are not const, because SWIG would cast a const int64_t* to another type of its
// size.
lffn_status top_k(int64_t* search_numbers, const lffn_runtime* runtime, const void* queries, const float* query_scales,
                  const void* vectors, const float* vector_scales, int64_t* vector_ids, const void* taking_part,
                  int64_t* candidates, int64_t* candidate_offsets, int64_t* counts, int64_t* ids, float* scores,
                  const int32_t* cancel, lffn_run_progress_callback run_progress, void* run_progress_user);

#endif  // LOOKUPFFN_BINDINGS_RAW_SEARCH_H
