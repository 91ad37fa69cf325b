/* base.h - what all parts of the C interface share: status codes, errors, structs, load options. Included by
 * lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_BASE_H
#define LOOKUPFFN_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(LOOKUPFFN_STATIC)
#define LFFN_API
#elif defined(_WIN32)
#define LFFN_API __declspec(dllimport)
#elif defined(__GNUC__)
#define LFFN_API __attribute__((visibility("default")))
#else
#define LFFN_API
#endif

/* An ignored status hides a failure, so compilers warn. */
#if defined(__GNUC__) && !defined(SWIG)
#define LFFN_CHECKED __attribute__((warn_unused_result))
#else
#define LFFN_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup basics Basics
 * Version, status codes, errors.
 * @{ */

#define LFFN_VERSION_MAJOR 1 /**< Grows when the ABI breaks. */
#define LFFN_VERSION_MINOR 0 /**< Grows when the ABI grows. */
#define LFFN_VERSION_PATCH 0 /**< Grows when only the inside changes. */

#define LFFN_VERSION_SUFFIX "" /**< Such as "-rc" before a release. */

/** What a function that can fail returns: LFFN_OK or one of the LFFN_ERROR_ values. */
typedef int32_t lffn_status;

/** The values of lffn_status. They never change their meaning; later versions may add some. */
enum {
  LFFN_OK = 0,                     /**< Done. */
  LFFN_ERROR_INVALID_ARGUMENT = 1, /**< An invalid argument; the message names it. */
  LFFN_ERROR_OUT_OF_MEMORY = 2,    /**< An allocation failed; nothing was leaked. */
  LFFN_ERROR_IO = 3,               /**< The operating system refused to read or write a file. */
  LFFN_ERROR_BAD_MODEL = 4,        /**< A file or a set of tensors is not a valid model. */
  LFFN_ERROR_UNSUPPORTED = 5,      /**< Valid, but this build or this CPU cannot do it. */
  LFFN_ERROR_CANCELLED = 6,        /**< The caller's cancel flag was seen. */
  LFFN_ERROR_INTERNAL = 7,         /**< A bug in the library; please report it. */
  LFFN_ERROR_TOO_SMALL = 8,        /**< Too little room for a result; the call says how much is needed. */
  LFFN_ERROR_BAD_TEXT = 9,         /**< A text is not UTF-8. */
  LFFN_ERROR_TOO_LONG = 10,        /**< A text or sequence has more tokens than the model can run. */
  LFFN_ERROR_NULL_TEXT = 11        /**< A text is NULL. */
};

/* Limits, besides memory:
 *   threads of one call                             1,024
 *   layers of a model                               4,096
 *   numbers of a vector, tables of a layer          1,048,576
 *   rows of a table                                 65,536
 *   classes of a classifier                         1,048,576
 *   token ids                                       4,194,304
 *   bytes of each tokenizer file                    67,108,864
 *   bytes of config.json and of each module's file  1,048,576
 *   bytes of a safetensors header                   100,000,000, with 65,536 tensors
 * A file that exceeds a limit gives LFFN_ERROR_BAD_MODEL, an argument that does gives LFFN_ERROR_INVALID_ARGUMENT. */

/** The version of the library that runs: major * 10000 + minor * 100 + patch. */
LFFN_API uint32_t lffn_version(void);

/** The same as a text, such as "1.2.3", with a suffix before a release: "1.3.0-rc". Valid forever, like the texts of
 * lffn_status_name, lffn_isa and lffn_runtime_isa. */
LFFN_API const char* lffn_version_text(void);

/** The name of a status value, such as "LFFN_ERROR_IO"; "LFFN_ERROR_UNKNOWN" for a value this version does not know. */
LFFN_API const char* lffn_status_name(lffn_status status);

/** Describes this thread's last failure in one sentence. Never NULL; "" if nothing has failed yet.
 * It is UTF-8, with "?" for bytes of a path that are not UTF-8. Valid until the next failing call in the same thread;
 * copy it before you call the library again. */
LFFN_API const char* lffn_last_error(void);

/** The instruction set of the kernels in use: "generic", "baseline", "avx2", "avxvnni",
 * "avx512", "avx512vnni", "avx512vbmi", "neon", "neondot" or "neoni8mm".
 * The environment variable LOOKUPFFN_ISA chooses one by name. If its value is unusable, this returns "" and every load
 * fails with the reason, except loads with a runtime that names another. */
LFFN_API const char* lffn_isa(void);

/** How many handles are alive in this process. For leak checks in tests. */
LFFN_API int64_t lffn_live_handles(void);

/** @} */

/** @defgroup loading Loading
 * What the functions that load have in common.
 * @{ */

/** The types of numbers, stored ones and outputs. */
enum {
  LFFN_DTYPE_AS_STORED = 0, /**< In lffn_load_options: keep what the file holds. */
  LFFN_DTYPE_F32 = 1,       /**< IEEE float32. */
  LFFN_DTYPE_BF16 = 2,      /**< bfloat16: the upper half of a float32. */
  LFFN_DTYPE_INT8 = 3,      /**< int8 with scales. */
  LFFN_DTYPE_F16 = 4,       /**< IEEE float16; for tensors passed in, and rows by word as stored. */
  LFFN_DTYPE_INT4 = 5,      /**< Four bits with scales; for rows by word only. */
  LFFN_DTYPE_INT32 = 6,     /**< int32_t; this type and those below are of outputs only. */
  LFFN_DTYPE_INT64 = 7,     /**< int64_t */
  LFFN_DTYPE_UINT8 = 8,     /**< uint8_t */
  LFFN_DTYPE_F64 = 9,       /**< IEEE float64. */
  LFFN_DTYPE_TEXT = 10      /**< Bytes of UTF-8. */
};

/** Flags of lffn_load_options. */
enum {
  /** Map the part of a file that is used in place, a model's rows by word (a learned vector per token id), for as long
   * as the model lives. Processes then share it, and loading does not wait for it. But a process that shortens the file
   * meanwhile kills this one with SIGBUS, so it is off by default. Everything else is read. */
  LFFN_LOAD_MMAP = 1u << 0,
  /** Treat denormal numbers as zero inside forward; the calling thread's mode is restored afterwards. */
  LFFN_LOAD_FLUSH_DENORMALS = 1u << 1,
  /** For a model's int8 linear layers: round their inputs to seven bits (126 steps) instead of eight (254). That is
   * faster where lffn_isa() is "avx2" (no VNNI, no AVX-512), and no faster elsewhere. It costs accuracy: inputs are
   * rounded twice as coarsely, on every instruction set, so that all still give the same bits. Results differ from
   * those without the flag, and so does lffn_model_shape.arithmetic: do not compare embeddings of both kinds unless you
   * have tested how well that works. Weights, attention, hashes and logits are unaffected, and so are
   * float32 layers, lffn_layer and saved files. */
  LFFN_LOAD_SEVEN_BIT_INPUTS = 1u << 2
};

/** What handles share, see runtime.h. */
typedef struct lffn_runtime lffn_runtime;

/** Receives the progress of loading or saving, in the thread that does it: from 0 to 1, never less than before, and 1
 * at the end if it succeeds. */
typedef void (*lffn_file_progress_callback)(double done, void* user);

/** Receives how many of a call's texts, sequences or tokens are done. It is called in the thread of the call, after
 * each part of the work, and last with `n` if the call succeeds. `done` never falls. */
typedef void (*lffn_run_progress_callback)(int64_t done, int64_t n, void* user);

/** Sets a number that the member `cancel` of options or arguments points to, so that the calls that check it end soon.
 * From any thread. It is an atomic store; use one, too, if you write the number yourself.
 * @param cancel  NULL is ignored
 * @param request 1 to end them, 0 to make the number usable again */
LFFN_API void lffn_cancel(int32_t* cancel, int32_t request);

/** How to load. Call lffn_load_options_init first: the defaults are all zero. */
typedef struct lffn_load_options {
  size_t struct_size;  /**< sizeof(lffn_load_options), set by the _init function. */
  int32_t num_threads; /**< Threads per call; 0 = what the environment allows, see docs/threads.md. Default 0. */
  int32_t table_dtype; /**< LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8 or LFFN_DTYPE_AS_STORED (default). */
  int32_t hash_dtype;  /**< LFFN_DTYPE_F32, LFFN_DTYPE_INT8 or LFFN_DTYPE_AS_STORED (default). */
  uint32_t flags;      /**< LFFN_LOAD_ values or-ed together. Default 0. */
  /** For a model's linear layers: LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8 or LFFN_DTYPE_AS_STORED (default).
   * LFFN_DTYPE_BF16 weights become float32 while they are multiplied. Layers ignore it. */
  int32_t linear_dtype;
  /** For a model's word embeddings: LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8 or LFFN_DTYPE_AS_STORED (default).
   */
  int32_t embedding_dtype;
  /** For a model's rows by word: LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8, LFFN_DTYPE_INT4 or
   * LFFN_DTYPE_AS_STORED (default). They are never mapped if this differs from the file's type. */
  int32_t word_row_dtype;
  /** For a model's attention: LFFN_DTYPE_F32, LFFN_DTYPE_INT8 or LFFN_DTYPE_AS_STORED (default), which is int8 where
   * the linear layers are. Families that add terms for distances to the scores have no int8 attention: with them,
   * LFFN_DTYPE_INT8 gives LFFN_ERROR_UNSUPPORTED. */
  int32_t attention_dtype;
  /** Threads, memory, log and kernels; NULL: the default ones. You may free it at any time. */
  const lffn_runtime* runtime;
  /** NULL, or a number that another thread may set to non-zero, atomically, while the call runs. The call then ends
   * soon with LFFN_ERROR_CANCELLED: see lffn_cancel. Only read while loading. */
  const int32_t* cancel;
  lffn_file_progress_callback progress; /**< NULL, or receives the progress of loading. */
  void* progress_user;                  /**< Passed to it. */
  /** NULL (default), or the name of one of a model's adapters, such as "retrieval.query": its matrices are then added
   * to the model's own, and lffn_model_save writes the sums. Without a name, no adapter is used. An unknown name gives
   * LFFN_ERROR_INVALID_ARGUMENT, whose message lists the known ones. Layers and tokenizers ignore it. */
  const char* adapter;
} lffn_load_options;

/** What lffn_load_options_init calls: fills in the defaults of as much of the struct as the caller knows.
 * @param options     NULL is ignored
 * @param struct_size the caller's sizeof(lffn_load_options) */
LFFN_API void lffn_load_options_init_sized(lffn_load_options* options, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_load_options_init(options) lffn_load_options_init_sized((options), sizeof *(options))

/** How to save. Call lffn_save_options_init first: the defaults are all zero. */
typedef struct lffn_save_options {
  size_t struct_size;    /**< sizeof(lffn_save_options), set by the _init function. */
  const int32_t* cancel; /**< NULL, or a number that ends the call once it is not zero, see lffn_cancel. */
  lffn_file_progress_callback progress; /**< NULL, or receives the progress of saving. */
  void* progress_user;                  /**< Passed to it. */
} lffn_save_options;

/** What lffn_save_options_init calls.
 * @param options     NULL is ignored
 * @param struct_size the caller's sizeof(lffn_save_options) */
LFFN_API void lffn_save_options_init_sized(lffn_save_options* options, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_save_options_init(options) lffn_save_options_init_sized((options), sizeof *(options))

/** Reads part of a file that the host keeps: in an archive, encrypted, an asset of an app. In the thread that loads.
 * @param first the first byte to read; first + size is at most the file's size
 * @param size  how many bytes
 * @param to    receives them
 * @param user  lffn_file.read_user
 * @return 0, or another number on failure: loading then fails with LFFN_ERROR_IO and reports the number */
typedef int32_t (*lffn_read_callback)(uint64_t first, size_t size, void* to, void* user);

/** A file that the host has, one of the files of a folder: in memory, or read by a function of the host. In an array of
 * them every struct_size must be the same. */
typedef struct lffn_file {
  size_t struct_size;      /**< sizeof(lffn_file), set by the _init function. */
  const char* name;        /**< Its name in the folder, such as "config.json" or "1_Pooling/config.json". */
  const void* data;        /**< Its bytes, of any alignment; NULL if `read` reads them. */
  size_t size;             /**< How many. */
  lffn_read_callback read; /**< NULL, or the function that reads them. */
  void* read_user;         /**< Passed to it. */
} lffn_file;

/** What lffn_file_init calls.
 * @param file        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_file) */
LFFN_API void lffn_file_init_sized(lffn_file* file, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_file_init(file) lffn_file_init_sized((file), sizeof *(file))

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_BASE_H */
