// SPDX-License-Identifier: Apache-2.0
// Entities, answers and labels for Java, in the manner of java_models.h.
#ifndef LOOKUPFFN_BINDINGS_JAVA_TASKS_H
#define LOOKUPFFN_BINDINGS_JAVA_TASKS_H

#include <jni.h>
#include <lookupffn/lookupffn.h>

// results: long[] begins and ends, int[] classes, float[] scores.
lffn_status model_entities_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t aggregation,
                                 int32_t flags, int64_t max_tokens, jobjectArray results, const int32_t* cancel);

// The same for texts end to end, as model_run_text_arrays takes them, into a result.
lffn_status model_entities_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                  int32_t aggregation, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                  int32_t statuses, lffn_result* result, const int32_t* cancel,
                                  lffn_run_progress run_progress, void* run_progress_user);

// results: long[] begins and ends, float[] scores.
lffn_status model_answer_bytes(JNIEnv* env, const lffn_model* model, jbyteArray question, jbyteArray context,
                               int32_t top_k, int64_t max_tokens, int64_t stride, int32_t max_answer_tokens,
                               int32_t flags, jobjectArray results, const int32_t* cancel);

// Labels lie end to end. hypothesis is null or UTF-8 with a closing zero. results: long[] order, float[] scores.
lffn_status model_zero_shot_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jbyteArray labels,
                                  jlongArray label_ends, jbyteArray hypothesis, int64_t max_tokens, int32_t flags,
                                  jobjectArray results, const int32_t* cancel);

#endif  // LOOKUPFFN_BINDINGS_JAVA_TASKS_H
