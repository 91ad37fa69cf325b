// SPDX-License-Identifier: Apache-2.0
// Calls on Java arrays. The elements are copied, never pinned: a pinned array would hold up the garbage collector for
// as long as the layer runs.
#ifndef LOOKUPFFN_BINDINGS_JAVA_ARRAYS_H
#define LOOKUPFFN_BINDINGS_JAVA_ARRAYS_H

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

#endif  // LOOKUPFFN_BINDINGS_JAVA_ARRAYS_H
