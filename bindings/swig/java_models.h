// SPDX-License-Identifier: Apache-2.0
// Calls on models with Java arrays, which are copied, and direct buffers, which are not. Results of which only the core
// knows the size come back in an Object[] that the caller brings.
#ifndef LOOKUPFFN_BINDINGS_JAVA_MODELS_H
#define LOOKUPFFN_BINDINGS_JAVA_MODELS_H

#include <jni.h>
#include <lookupffn/lookupffn.h>

// The output goes to `buffer`, a direct one, or else to `array`, from element `at` on, where there is room for
// `capacity` floats. Of ids, positions and offsets as much is read as n and n_positions say: they may be longer.
lffn_status model_run_arrays(JNIEnv* env, const lffn_model* model, jintArray ids, jlongArray offsets, int32_t n,
                             int32_t output, jlongArray positions, int32_t n_positions, const int32_t* run_options,
                             jfloatArray array, float* buffer, int32_t at, int32_t capacity, const int32_t* cancel,
                             lffn_run_progress run_progress, void* run_progress_user);

// Texts lie end to end in `utf8`. query is null or UTF-8; prompt is null or UTF-8 with a closing zero. Without array
// and buffer this only counts. `counts` [2 n + 1] receives where each text's tokens begin and how many it would have
// uncut. With a result bad texts fail no call, as model_run_texts says.
lffn_status model_run_text_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                  jbyteArray query, int32_t output, const int32_t* run_options, int64_t max_tokens,
                                  jbyteArray prompt, jfloatArray array, float* buffer, int32_t at, int32_t capacity,
                                  jlongArray counts, lffn_result* result, const int32_t* cancel,
                                  lffn_run_progress run_progress, void* run_progress_user);

// The same texts into a result: all that is wanted, as model_run_into_result says.
lffn_status model_run_result_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                    const int32_t* run_options, int64_t max_tokens, jbyteArray prompt, int32_t wanted,
                                    lffn_result* result, const int32_t* cancel, lffn_run_progress run_progress,
                                    void* run_progress_user);

// results: int[] ids and, where there is room for three, long[] begins and long[] ends, in bytes.
lffn_status model_tokenize_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t flags,
                                 int64_t max_tokens, jobjectArray results, const int32_t* cancel);

// results: byte[] UTF-8.
lffn_status model_detokenize_ids(JNIEnv* env, const lffn_model* model, jintArray ids, int32_t flags,
                                 jobjectArray results);

// results: int[] ids and float[] probabilities, top_k of each for each mask.
lffn_status model_fill_mask_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t top_k,
                                  jobjectArray results, const int32_t* cancel);

// Copies what lies in one of a result's arrays, as many elements as `to` has.
lffn_status result_longs(JNIEnv* env, const lffn_result* result, int32_t what, jlongArray to);
lffn_status result_ints(JNIEnv* env, const lffn_result* result, int32_t what, jintArray to);
lffn_status result_floats(JNIEnv* env, const lffn_result* result, int32_t what, jfloatArray to);
lffn_status result_bytes(JNIEnv* env, const lffn_result* result, int32_t what, jbyteArray to);

#endif  // LOOKUPFFN_BINDINGS_JAVA_MODELS_H
