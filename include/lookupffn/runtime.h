/* runtime.h - which threads, memory, log and instruction set handles use. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RUNTIME_H
#define LOOKUPFFN_RUNTIME_H

#include "lookupffn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup runtime A runtime
 * What handles take from their process: threads, memory, a log, an instruction set. Handles that are loaded without a
 * runtime use the environment variables and the settings of lffn_set_allocator and lffn_set_log_callback. Handles that
 * are loaded with one use its settings instead, and the same defaults for whatever it leaves open.
 *
 *     lffn_runtime_options options;
 *     lffn_runtime_options_init(&options);
 *     options.parallel_for = my_pool_runs;
 *     options.parallel_user = my_pool;
 *     lffn_runtime* runtime = NULL;
 *     if (lffn_runtime_create(&options, &runtime) != LFFN_OK) ...
 *     lffn_load_options load;
 *     lffn_load_options_init(&load);
 *     load.runtime = runtime;
 *     lffn_model_load("my-model", &load, &model);
 *     lffn_runtime_free(runtime);  // the model keeps what it needs
 * @{ */

/** Runs the items of a loop in the host's threads: calls run(context, item) once for each item in [0, n_items), in any
 * order, on any threads, and returns once all of them have returned. Several threads may ask for loops at once, but an
 * item never does. It must not throw, and runs in the library's float mode.
 * @param user    lffn_runtime_options.parallel_user
 * @param n_items at most the number of threads of the handle
 * @param run     runs one item; throws nothing
 * @param context the first argument of run */
typedef void (*lffn_parallel_for)(void* user, int64_t n_items, void (*run)(void* context, int64_t item), void* context);

/** What a runtime is made of. Call lffn_runtime_options_init first. */
typedef struct lffn_runtime_options {
  size_t struct_size; /**< sizeof(lffn_runtime_options), set by the _init function. */
  /** Most threads for each call of its handles, whatever their load options say; 0: no limit, and what the environment
   * allows for handles whose options say 0. Without parallel_for all runtimes share the library's one team. */
  int32_t num_threads;
  uint32_t flags;                 /**< 0. */
  lffn_parallel_for parallel_for; /**< NULL: the library's own threads. */
  void* parallel_user;            /**< Passed to it. */
  /** NULL: as set by lffn_set_allocator. Copied; its functions are called until all memory from it is freed. */
  const lffn_allocator* allocator;
  lffn_log_callback log; /**< NULL: as set by lffn_set_log_callback. */
  void* log_user;        /**< Passed to it. */
  const char* isa;       /**< NULL: as LOOKUPFFN_ISA says; else one of the names of lffn_isa. */
} lffn_runtime_options;

/** What lffn_runtime_options_init calls.
 * @param options     NULL is ignored
 * @param struct_size the caller's sizeof(lffn_runtime_options) */
LFFN_API void lffn_runtime_options_init_sized(lffn_runtime_options* options, size_t struct_size);
/** Fills in the defaults, all zero. NULL is ignored. */
#define lffn_runtime_options_init(options) lffn_runtime_options_init_sized((options), sizeof *(options))

/** Makes a runtime.
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_runtime_free */
LFFN_API LFFN_CHECKED lffn_status lffn_runtime_create(const lffn_runtime_options* options, lffn_runtime** out);

/** Frees the runtime. NULL is ignored. Handles that were loaded with it keep what they need of it. */
LFFN_API void lffn_runtime_free(lffn_runtime* runtime);

/** The instruction set of its handles' kernels, valid forever; for NULL the default one, as lffn_isa. */
LFFN_API const char* lffn_runtime_isa(const lffn_runtime* runtime);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_RUNTIME_H */
