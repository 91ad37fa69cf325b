/* runtime.h - which threads, memory, log and instruction set handles use: the defaults of the process, and runtimes of
 * their own. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RUNTIME_H
#define LOOKUPFFN_RUNTIME_H

#include "lookupffn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup hooks The defaults of a process
 * The memory and the log of everything that is made without a runtime, or with one that leaves them open: set them
 * before you make handles. Also functions that release memory and threads of all handles.
 *
 * For every function of the host that the library calls (log, allocator, progress, lffn_read_callback,
 * lffn_parallel_for_callback):
 * - It must not throw or leave by longjmp. It runs in the library's float mode: rounding to nearest, no traps.
 * - It may be called from any thread that calls the library, and from several at once, unless its own description says
 * otherwise.
 * - The log and progress functions may call the library, but must not free or fill anything that the call in progress
 *   uses: for results that gives LFFN_ERROR_INVALID_ARGUMENT, for handles it is undefined. An allocator must not call
 *   the library.
 * @{ */

/** The levels of log messages. */
enum {
  LFFN_LOG_ERROR = 0,   /**< A failure that no status reports. */
  LFFN_LOG_WARNING = 1, /**< Something works differently than intended. */
  LFFN_LOG_INFO = 2     /**< What the library chose. */
};

/** Receives one line of text without a line end, valid until the function returns. */
typedef void (*lffn_log_callback)(int32_t level, const char* message, void* user);

/** Sets the function that receives log messages where no runtime has one of its own; NULL (the default) drops them. A
 * message that another thread is sending may still reach the earlier function. */
LFFN_API void lffn_set_default_log(lffn_log_callback callback, void* user);

/** Where weights, scratch memory and the numbers in results come from. Tokenizers, texts with their tokens, and small
 * bookkeeping objects use operator new; lffn_model_costs.tokenizer_bytes says how much a tokenizer takes. Call
 * lffn_allocator_init first. Both functions must be set, and may be called from several threads at once. */
typedef struct lffn_allocator {
  size_t struct_size; /**< sizeof(lffn_allocator), set by the _init function. */
  /** Returns memory with this alignment, a power of two of at least 64, or NULL if there is none. The size is never 0.
   */
  void* (*allocate)(size_t size, size_t alignment, void* user);
  /** Takes what allocate returned, never NULL, and the size that was asked for. */
  void (*deallocate)(void* memory, size_t size, void* user);
  void* user; /**< Passed to both. */
} lffn_allocator;

/** What lffn_allocator_init calls.
 * @param allocator   NULL is ignored
 * @param struct_size the caller's sizeof(lffn_allocator) */
LFFN_API void lffn_allocator_init_sized(lffn_allocator* allocator, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_allocator_init(allocator) lffn_allocator_init_sized((allocator), sizeof *(allocator))

/** Sets the allocator where no runtime has one of its own; NULL restores the library's own. The struct is copied.
 * Memory goes back to the allocator it came from, so the functions and `user` must stay valid as long as any memory
 * from them is in use.
 * @param allocator NULL, or one whose functions are set; else LFFN_ERROR_INVALID_ARGUMENT */
LFFN_API LFFN_CHECKED lffn_status lffn_set_default_allocator(const lffn_allocator* allocator);

/** Frees the scratch memory that handles keep between calls. Calls in progress keep theirs; later ones allocate again.
 * A result frees its memory when the next call fills it. */
LFFN_API void lffn_trim(void);

/** Ends the helper threads and returns once they have ended. Call it before dlclose of a plugin that contains the
 * static library; the shared one is never unloaded. Calls in other threads meanwhile finish with the remaining threads;
 * later calls start helpers again. */
LFFN_API void lffn_shutdown_threads(void);

/** @} */

/** @defgroup runtime A runtime
 * What handles take from their process: threads, memory, a log, an instruction set. Handles that are loaded without a
 * runtime use the environment variables and the settings of lffn_set_default_allocator and lffn_set_default_log.
 * Handles that are loaded with one use its settings instead, and the same defaults for whatever it leaves open.
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
 * item never starts one. It must not throw, and runs in the library's float mode.
 * @param user    lffn_runtime_options.parallel_user
 * @param n_items at most the number of threads of the handle
 * @param run     runs one item; throws nothing
 * @param context the first argument of run */
typedef void (*lffn_parallel_for_callback)(void* user, int64_t n_items, void (*run)(void* context, int64_t item),
                                           void* context);

/** What a runtime is made of. Call lffn_runtime_options_init first. */
typedef struct lffn_runtime_options {
  size_t struct_size; /**< sizeof(lffn_runtime_options), set by the _init function. */
  /** Most threads for each call of its handles, whatever their load options say; 0: no limit;
   * handles whose options say 0 then use what the environment allows. Without parallel_for all runtimes share the
   * library's one team. */
  int32_t num_threads;
  uint32_t flags;                          /**< 0. */
  lffn_parallel_for_callback parallel_for; /**< NULL: the library's own threads. */
  void* parallel_user;                     /**< Passed to it. */
  /** NULL: as set by lffn_set_default_allocator. Copied; its functions are called until all memory from it is freed. */
  const lffn_allocator* allocator;
  lffn_log_callback log; /**< NULL: as set by lffn_set_default_log. */
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
