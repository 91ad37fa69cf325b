// SPDX-License-Identifier: Apache-2.0
#include "raw_search.h"

#include "raw.h"
#include "raw_structs.h"

lffn_status top_k(int64_t* search_numbers, const lffn_runtime* runtime, const void* queries, const float* query_scales,
                  const void* vectors, const float* vector_scales, int64_t* vector_ids, const void* taking_part,
                  int64_t* candidates, int64_t* candidate_offsets, int64_t* counts, int64_t* ids, float* scores,
                  const int32_t* cancel, lffn_run_progress_callback run_progress, void* run_progress_user) {
  lffn_top_k_args args;
  lffn_top_k_args_init(&args);
#define GIVE(place, member) give_number(search_numbers[SEARCH_##place], args.member);
  TOP_K_ARGS_FIELDS(GIVE)
#undef GIVE
  args.runtime = runtime;
  args.queries = queries;
  args.query_scales = query_scales;
  args.vectors = vectors;
  args.vector_scales = vector_scales;
  args.vector_ids = vector_ids;
  args.taking_part = static_cast<const uint8_t*>(taking_part);
  static const int64_t none = 0;
  if (args.n_candidates < 0) {
    args.n_candidates = 0;
  } else {
    args.candidates = candidates != nullptr ? candidates : &none;  // .NET pins an empty array at NULL
    args.candidate_offsets = candidate_offsets;
  }
  args.start_counts = args.counts = counts;
  args.start_ids = args.ids = ids;
  args.start_scores = args.scores = scores;
  args.cancel = cancel;
  args.progress = run_progress;
  args.progress_user = run_progress_user;
  return lffn_top_k(&args);
}
