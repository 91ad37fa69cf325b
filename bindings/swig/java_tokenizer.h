// SPDX-License-Identifier: Apache-2.0
// Calls on tokenizers, in the manner of java_models.h.
#ifndef LOOKUPFFN_BINDINGS_JAVA_TOKENIZER_H
#define LOOKUPFFN_BINDINGS_JAVA_TOKENIZER_H

#include <jni.h>
#include <lookupffn/lookupffn.h>

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

// Of each of n sequences end to end, as model_run_arrays takes them. results: n byte[]s of UTF-8.
lffn_status tokenizer_decode_arrays(JNIEnv* env, const lffn_tokenizer* tokenizer, jintArray ids, jlongArray offsets,
                                    int32_t n, int32_t flags, jobjectArray results);

// results: int[1] the id or -1.
lffn_status tokenizer_find_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, jbyteArray utf8, jobjectArray results);

// results: byte[] UTF-8, or nothing where the id is no token's.
lffn_status tokenizer_token_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, int32_t id, jobjectArray results);

#endif  // LOOKUPFFN_BINDINGS_JAVA_TOKENIZER_H
