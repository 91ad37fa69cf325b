// SPDX-License-Identifier: Apache-2.0
// What is loaded from the files of a folder that Java has: in memory, or read by its channels.
#ifndef LOOKUPFFN_BINDINGS_JAVA_FILES_H
#define LOOKUPFFN_BINDINGS_JAVA_FILES_H

#include <jni.h>
#include <lookupffn/lookupffn.h>

// names: byte[]s of UTF-8 with a closing zero; contents: as many byte[]s, of which the size is negative, or objects
// that ChannelFile.read knows, with the sizes of their files.
lffn_status model_load_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                   const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                                   lffn_load_progress progress, void* progress_user, lffn_model** out);
lffn_status model_estimate_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                       const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                                       lffn_load_progress progress, void* progress_user, int64_t* estimate_numbers);
lffn_status tokenizer_load_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                       const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                                       lffn_load_progress progress, void* progress_user, lffn_tokenizer** out);

#endif  // LOOKUPFFN_BINDINGS_JAVA_FILES_H
