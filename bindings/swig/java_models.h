// Calls on models with Java arrays. Results of which only the core knows the size come back in an Object[] that the
// caller brings.
#ifndef LOOKUPFFN_BINDINGS_JAVA_MODELS_H
#define LOOKUPFFN_BINDINGS_JAVA_MODELS_H

#include <jni.h>
#include <lookupffn/lookupffn.h>

// `results` holds a float[] for each sequence, or for each position, of the size that its part of the output has.
lffn_status model_run_arrays(JNIEnv* env, const lffn_model* model, jintArray ids, jlongArray offsets, int32_t output,
                             jlongArray positions, int32_t pooling, int32_t normalize, jobjectArray results,
                             const int32_t* cancel);

// `results` holds a float[] for each text; texts lie end to end. prompt is null or UTF-8 with a closing zero.
lffn_status model_run_text_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends,
                                  int32_t output, int64_t max_tokens, int32_t prompt_kind, jbyteArray prompt,
                                  int32_t pooling, int32_t normalize, jobjectArray results, const int32_t* cancel);

// results: int[] ids and, where there is room for three, long[] begins and long[] ends, in bytes.
lffn_status model_tokenize_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t flags,
                                 int64_t max_tokens, jobjectArray results);

// results: byte[] UTF-8.
lffn_status model_detokenize_ids(JNIEnv* env, const lffn_model* model, jintArray ids, int32_t flags,
                                 jobjectArray results);

// results: int[] ids and float[] probabilities, top_k of each for each mask.
lffn_status model_fill_mask_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t top_k,
                                  jobjectArray results);

#endif  // LOOKUPFFN_BINDINGS_JAVA_MODELS_H
