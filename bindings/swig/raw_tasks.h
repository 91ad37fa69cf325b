// SPDX-License-Identifier: Apache-2.0
// Entities, answers and labels, in the manner of raw_model.h.
#ifndef LOOKUPFFN_BINDINGS_RAW_TASKS_H
#define LOOKUPFFN_BINDINGS_RAW_TASKS_H

#include <lookupffn/lookupffn.h>

// flags: RUN_ALL_LABELS. Of each entity the bytes, the class of its first token and the score. n_entities is told even
// where the capacity is too small, which is no failure here: then nothing is written.
lffn_status model_entities(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t aggregation,
                           int32_t flags, int64_t max_tokens, int64_t* begins, int64_t* ends, int32_t* classes,
                           float* scores, size_t capacity, size_t* n_entities, const int32_t* cancel);

// The same for texts that lie end to end, as model_run_texts has them, into a result: RESULT_ENTITY_. With statuses
// other than 0 a text that cannot be read fails no call, and has RESULT_STATUSES.
lffn_status model_entities_texts(const lffn_model* model, const char* utf8, int64_t* ends, int64_t n,
                                 int32_t aggregation, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                 int32_t statuses, lffn_result* result, const int32_t* cancel,
                                 lffn_run_progress run_progress, void* run_progress_user);

// flags: ANSWER_MAY_BE_NONE. begins, ends and scores have room for top_k.
lffn_status model_answer(const lffn_model* model, const char* question, size_t question_size, const char* context,
                         size_t context_size, int32_t top_k, int64_t max_tokens, int64_t stride,
                         int32_t max_answer_tokens, int32_t flags, int64_t* begins, int64_t* ends, float* scores,
                         int32_t* n_answers, const int32_t* cancel);

// flags: ZERO_SHOT_SEVERAL. Labels lie end to end, label i ends before byte label_ends[i]; hypothesis is null or has a
// closing zero. order and scores have room for n; scores are in the order of the labels.
lffn_status model_zero_shot(const lffn_model* model, const char* utf8, size_t n_bytes, const char* labels,
                            int64_t* label_ends, int64_t n, const char* hypothesis, int64_t max_tokens, int32_t flags,
                            int64_t* order, float* scores, const int32_t* cancel);

#endif  // LOOKUPFFN_BINDINGS_RAW_TASKS_H
