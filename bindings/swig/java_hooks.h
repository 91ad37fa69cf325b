// SPDX-License-Identifier: Apache-2.0
// Callbacks from the core into Java. Only Java's own threads, which call the core, log, load and ask for loops.
#ifndef LOOKUPFFN_BINDINGS_JAVA_HOOKS_H
#define LOOKUPFFN_BINDINGS_JAVA_HOOKS_H

#include <jni.h>
#include <lookupffn/lookupffn.h>

// Looks up the classes and methods, when the library is loaded; false leaves an exception behind.
bool find_hooks(JavaVM* vm, JNIEnv* env);
// Called when the library is unloaded; after that there are no callbacks.
void drop_hooks(JNIEnv* env);

// A Java object that a call passed on, for use in that call's thread.
struct JavaReceiver {
  JNIEnv* env;
  jobject object;
};

// user of these three: a JavaReceiver.
void tell_progress(double done, void* user);
void tell_run_progress(int64_t done, int64_t n, void* user);
// Returns 0, or 1 if the channel failed.
int32_t read_channel(uint64_t first, size_t size, void* to, void* user);
// user: the number of the runtime whose log it is; 0 for the process's.
void tell_log(int32_t level, const char* message, void* user);
// user: the number of the runtime whose executor it is.
void run_in_executor(void* user, int64_t n_items, void (*run)(void* context, int64_t item), void* context);
// What RuntimeHooks calls in the executor's threads: the addresses that it was given, and an item.
void run_item(int64_t run, int64_t context, int64_t item);

#endif  // LOOKUPFFN_BINDINGS_JAVA_HOOKS_H
