// SPDX-License-Identifier: Apache-2.0
// Calls with Java arrays and with direct buffers. Arrays are copied, never pinned, because a pinned array would hold up
// the garbage collector for as long as the layer runs. Direct buffers are not copied.
#ifndef LOOKUPFFN_BINDINGS_JAVA_CALLS_H
#define LOOKUPFFN_BINDINGS_JAVA_CALLS_H

#include <jni.h>
#include <lookupffn/lookupffn.h>

// Throws the Java exception that stands for the status, with the core's text.
void throw_status(JNIEnv* env, lffn_status status, const char* text);

// On cancellation or failure y keeps its old elements.
lffn_status layer_forward_arrays(JNIEnv* env, const lffn_layer* layer, jfloatArray x, int32_t x_offset, int32_t x_count,
                                 int64_t n_tokens, jfloatArray y, int32_t y_offset, int32_t y_count, int32_t flags,
                                 const int32_t* cancel);

// codes and scores may be null; `count` elements of each are written.
lffn_status layer_hash_arrays(JNIEnv* env, const lffn_layer* layer, jfloatArray x, int32_t x_count, int64_t n_tokens,
                              jintArray codes, jfloatArray scores, int32_t count);

// Models. Results whose size only the core knows come back in an Object[] that the caller passes.

// The output goes to `buffer`, a direct one, or else to `array` from element `at` on; `capacity` is the room in floats.
// ids, positions and offsets may be longer than n and n_positions say; the rest is not read.
lffn_status model_run_arrays(JNIEnv* env, const lffn_model* model, jintArray ids, jlongArray offsets, int32_t n,
                             int32_t output, jlongArray positions, int32_t n_positions, const int32_t* run_options,
                             jfloatArray array, float* buffer, int32_t at, int32_t capacity, const int32_t* cancel,
                             lffn_run_progress_callback run_progress, void* run_progress_user);

// Texts lie end to end in `utf8`. query is null or UTF-8; prompt is null or UTF-8 with a closing zero. Without array
// and buffer this only counts. `counts` [2 n + 1] receives where each text's tokens begin and how many tokens it would
// have uncut. With a result, bad texts do not fail the call, as model_run_texts says.
lffn_status model_run_text_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                  jbyteArray query, int32_t output, const int32_t* run_options, int64_t max_tokens,
                                  jbyteArray prompt, jfloatArray array, float* buffer, int32_t at, int32_t capacity,
                                  jlongArray counts, lffn_result* result, const int32_t* cancel,
                                  lffn_run_progress_callback run_progress, void* run_progress_user);

// Takes such texts and makes all wanted outputs into a result, as model_run_into_result says.
lffn_status model_run_result_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                    const int32_t* run_options, int64_t max_tokens, jbyteArray prompt, int32_t wanted,
                                    lffn_result* result, const int32_t* cancel, lffn_run_progress_callback run_progress,
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

// Copies from one of a result's arrays as many elements as `to` has.
lffn_status result_longs(JNIEnv* env, const lffn_result* result, int32_t what, jlongArray to);
lffn_status result_ints(JNIEnv* env, const lffn_result* result, int32_t what, jintArray to);
lffn_status result_floats(JNIEnv* env, const lffn_result* result, int32_t what, jfloatArray to);
lffn_status result_bytes(JNIEnv* env, const lffn_result* result, int32_t what, jbyteArray to);

// Entities, answers and labels.

// results: long[] begins and ends, int[] classes, float[] scores.
lffn_status model_entities_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t aggregation,
                                 int32_t flags, int64_t max_tokens, jobjectArray results, const int32_t* cancel);

// The same for texts end to end, as model_run_text_arrays takes them, into a result.
lffn_status model_entities_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                  int32_t aggregation, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                  int32_t statuses, lffn_result* result, const int32_t* cancel,
                                  lffn_run_progress_callback run_progress, void* run_progress_user);

// results: long[] begins and ends, float[] scores.
lffn_status model_answer_bytes(JNIEnv* env, const lffn_model* model, jbyteArray question, jbyteArray context,
                               int32_t top_k, int64_t max_tokens, int64_t stride, int32_t max_answer_tokens,
                               int32_t flags, jobjectArray results, const int32_t* cancel);

// Labels lie end to end. hypothesis is null or UTF-8 with a closing zero. results: long[] order, float[] scores.
lffn_status model_zero_shot_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jbyteArray labels,
                                  jlongArray label_ends, jbyteArray hypothesis, int64_t max_tokens, int32_t flags,
                                  jobjectArray results, const int32_t* cancel);

// Late interaction, as max_sim says: each side has floats, or bytes with scales; the other arrays are null. `scores`
// has an element for each query and document.
lffn_status max_sim_arrays(JNIEnv* env, jfloatArray queries, jbyteArray int8_queries, jfloatArray query_scales,
                           jlongArray query_offsets, jfloatArray documents, jbyteArray int8_documents,
                           jfloatArray document_scales, jlongArray document_offsets, int32_t size, int32_t flags,
                           int32_t num_threads, jfloatArray scores, const int32_t* cancel);

// Takes n documents end to end, as model_run_text_arrays takes texts, and gives a score for each.
lffn_status model_rerank_arrays(JNIEnv* env, const lffn_model* model, jbyteArray query, jbyteArray utf8,
                                jlongArray ends, int32_t n, int64_t max_tokens, int32_t scores_kind,
                                int32_t num_threads, int32_t flags, jfloatArray scores, const int32_t* cancel);

// Search: top_k of vectors that lie in a direct buffer or, if that is null, in a byte array. counts, ids and scores
// hold the start on entry and the result on return; they keep their elements if the call fails.
lffn_status top_k_arrays(JNIEnv* env, jlongArray search_numbers, const lffn_runtime* runtime, jobject query_buffer,
                         jbyteArray query_bytes, jfloatArray query_scales, jobject vector_buffer,
                         jbyteArray vector_bytes, jfloatArray vector_scales, jlongArray vector_ids,
                         jbyteArray taking_part, jlongArray candidates, jlongArray candidate_offsets, jlongArray counts,
                         jlongArray ids, jfloatArray scores, const int32_t* cancel,
                         lffn_run_progress_callback run_progress, void* run_progress_user);

// Tokenizers.

// pair may be null. results: int[] ids and, where there is room, long[] begins, long[] ends, in bytes, int[] types, and
// long[1] how many tokens there would be without cutting.
lffn_status tokenizer_encode_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, jbyteArray utf8, jbyteArray pair,
                                   int32_t flags, int64_t max_tokens, jobjectArray results, const int32_t* cancel);

// Texts end to end, as model_run_text_arrays takes them, into a result.
lffn_status tokenizer_encode_arrays(JNIEnv* env, const lffn_tokenizer* tokenizer, jbyteArray utf8, jlongArray ends,
                                    int32_t n, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                    lffn_result* result, const int32_t* cancel);

// results: byte[] UTF-8.
lffn_status tokenizer_decode_ids(JNIEnv* env, const lffn_tokenizer* tokenizer, jintArray ids, int32_t flags,
                                 jobjectArray results);

// Decodes n sequences that lie end to end, as model_run_arrays takes them. results: n byte[]s of UTF-8.
lffn_status tokenizer_decode_arrays(JNIEnv* env, const lffn_tokenizer* tokenizer, jintArray ids, jlongArray offsets,
                                    int32_t n, int32_t flags, jobjectArray results);

// results: int[1] the id or -1.
lffn_status tokenizer_find_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, jbyteArray utf8, jobjectArray results);

// results: byte[] UTF-8, or nothing if the id belongs to no token.
lffn_status tokenizer_token_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, int32_t id, jobjectArray results);

// Loading from the files of a folder that Java holds in memory or reads through channels.

// names: byte[]s of UTF-8 with a closing zero; contents: for each a byte[], whose size is given as a negative number,
// or an object that ChannelFile.read takes, with the size of its file.
lffn_status model_load_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                   const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                                   const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                                   lffn_model** out);
lffn_status model_estimate_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                       const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                                       const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                                       int64_t* estimate_numbers);
lffn_status tokenizer_load_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                       const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                                       lffn_file_progress_callback progress, void* progress_user, lffn_tokenizer** out);

#endif  // LOOKUPFFN_BINDINGS_JAVA_CALLS_H
