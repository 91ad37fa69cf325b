// SPDX-License-Identifier: Apache-2.0
// The few calls that the Java and .NET packages make into the core. No structs cross this boundary: load and run
// options are rows of numbers, other options and configurations are plain arguments, and facts about a layer or a model
// come back as a row of numbers.
#ifndef LOOKUPFFN_BINDINGS_RAW_H
#define LOOKUPFFN_BINDINGS_RAW_H

#include <lookupffn/lookupffn.h>

#include "abi_fields.h"

// Numbers that both sides must agree on. abi_fields.h is generated from the public headers, and raw.cc checks it
// against them.
enum Abi {
  // The version of the header that the package was built with, to be compared with native_version().
  ABI_VERSION = LFFN_VERSION_MAJOR * 10000 + LFFN_VERSION_MINOR * 100 + LFFN_VERSION_PATCH,

// The constants of the public headers without LFFN_.
#define AS_IT_IS(name, value) name = value,
  ABI_CONSTANTS(AS_IT_IS)
#undef AS_IT_IS

  // What model_text tells.
  TEXT_LABEL = 0,
  TEXT_PROMPT_NAME,
  TEXT_PROMPT,
  TEXT_FAMILY,
  TEXT_CONFIG,

  // Beside the flags of the public header: what tokenizer_encode_texts leaves in its result.
  ENCODE_SPANS = 1 << 29,
  ENCODE_UNCUT = 1 << 30,

  // Outputs for model_run_into_result, or-ed together.
  WANT_IDS = 1,
  WANT_EMBEDDINGS = 4,
  WANT_STATUSES = 64,
  WANT_UNCUT = 512,
  WANT_SPANS = 1024,
  WANT_TOKEN_VECTORS = 2048,
  WANT_INT8_EMBEDDINGS = 4096,
  WANT_BIT_EMBEDDINGS = 8192,
  WANT_SPARSE = 16384,
  WANT_INT8_TOKEN_VECTORS = 32768,

  // What model_estimate tells.
  ESTIMATE_WEIGHT_BYTES = 0,
  ESTIMATE_LOADING_BYTES,
  ESTIMATE_COUNT,

  // How many numbers hold a fingerprint.
  FINGERPRINT_COUNT = 2,

// The places of the numbers of load options, of run options, of layer_info's, of model_info's, of model_layer_info's,
// of tokenizer_info's and of a search's.
#define OPTION_PLACE(name, member) OPTION_##name,
#define RUN_OPTION_PLACE(name, member) RUN_OPTION_##name,
#define LAYER_PLACE(name, member) INFO_##name,
#define MODEL_PLACE(name, member) MODEL_##name,
#define MODEL_LAYER_PLACE(name, member) MODEL_LAYER_##name,
#define TOKENIZER_PLACE(name, member) TOKENIZER_##name,
#define SEARCH_PLACE(name, member) SEARCH_##name,
  OPTION_BEFORE_FIRST = -1,
  LOAD_OPTIONS_FIELDS(OPTION_PLACE) OPTION_COUNT,
  RUN_OPTION_BEFORE_FIRST = -1,
  MODEL_RUN_ARGS_FIELDS(RUN_OPTION_PLACE) RUN_OPTION_SCORES,  // a SCORES_ value
  RUN_OPTION_COUNT,
  INFO_BEFORE_FIRST = -1,
  LAYER_INFO_FIELDS(LAYER_PLACE) INFO_COUNT,
  MODEL_BEFORE_FIRST = -1,
  MODEL_SHAPE_FIELDS(MODEL_PLACE) MODEL_HEADS_FIELDS(MODEL_PLACE) MODEL_COSTS_FIELDS(MODEL_PLACE)
      SPECIAL_ID_FIELDS(MODEL_PLACE) MODEL_COUNT,
  MODEL_LAYER_BEFORE_FIRST = -1,
  MODEL_LAYER_INFO_FIELDS(MODEL_LAYER_PLACE) MODEL_LAYER_COUNT,
  TOKENIZER_BEFORE_FIRST = -1,
  TOKENIZER_INFO_FIELDS(TOKENIZER_PLACE) TOKENIZER_COUNT,
  SEARCH_BEFORE_FIRST = -1,
  TOP_K_ARGS_FIELDS(SEARCH_PLACE) SEARCH_COUNT,
  // What result_size tells.
  RESULT_SIZE_SEQUENCES = 0,
  RESULT_SIZE_TOKENS,
  RESULT_SIZE_TEXTS,
  RESULT_SIZE_EMBEDDING,
  RESULT_SIZE_TOKEN_VECTOR
#undef OPTION_PLACE
#undef RUN_OPTION_PLACE
#undef LAYER_PLACE
#undef MODEL_PLACE
#undef MODEL_LAYER_PLACE
#undef TOKENIZER_PLACE
#undef SEARCH_PLACE
};

int32_t native_version();
const char* native_isa();
// Why the call that returned this status failed. If the binding itself ran out of memory, the core has no text for it.
const char* last_error(int32_t status);
int64_t live_handles();

// For all calls that load: runtime, progress and cancel, which another thread may set, may be null.
lffn_status layer_load(const char* path, const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                       lffn_file_progress_callback progress, void* progress_user, lffn_layer** out);
lffn_status layer_load_memory(const void* data, size_t size, const int32_t* options, const lffn_runtime* runtime,
                              const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                              lffn_layer** out);
lffn_status layer_random(int32_t hidden_size, int32_t output_size, int32_t num_tables, int32_t table_size,
                         int32_t projection, int32_t block_size, int32_t activation, int32_t num_probes,
                         int32_t layer_norm, float decay_coeff, float layer_norm_eps, int64_t seed,
                         const int32_t* options, const lffn_runtime* runtime, lffn_layer** out);
lffn_status layer_save(const lffn_layer* layer, const char* path, const int32_t* cancel,
                       lffn_file_progress_callback progress, void* progress_user);
lffn_status layer_info(const lffn_layer* layer, int64_t* numbers);
void layer_free(lffn_layer* layer);

// x and y are counted in floats from x_offset and y_offset, so that a Java buffer's position needs no new buffer.
lffn_status layer_forward(const lffn_layer* layer, const float* x, int64_t x_offset, int64_t n_tokens, float* y,
                          int64_t y_offset, int32_t flags, const int32_t* cancel);
lffn_status layer_hash(const lffn_layer* layer, const float* x, int64_t n_tokens, int32_t* codes, float* scores);

// What handles share, and hooks of the process.

// parallel, log and isa, which has a closing zero, may be null.
lffn_status runtime_create(int32_t num_threads, const char* isa, lffn_parallel_for_callback parallel,
                           void* parallel_user, lffn_log_callback log, void* log_user, lffn_runtime** out);
void runtime_free(lffn_runtime* runtime);
const char* runtime_isa(const lffn_runtime* runtime);

// Sets who gets the log of all that is loaded without a runtime with a log of its own; null for nobody.
void set_log(lffn_log_callback process_log, void* process_log_user);

// Gives back the scratch memory that handles keep from call to call.
void trim();

// Results that the core keeps. What model_run_texts, model_run_into_result, model_entities_texts,
// tokenizer_encode_texts and tokenizer_decode_batch leave in a result stays there until the result is used again or
// freed. Only one call at a time may use a result.

lffn_status result_create(lffn_result** out);
void result_free(lffn_result* result);

// The address of one of a result's arrays, chosen by an OUT_ value; null if the call did not make it.
const void* result_array(const lffn_result* result, int32_t what);
// How many things a result's arrays hold, chosen by a RESULT_SIZE_ value: sequences, tokens or texts, or the numbers of
// an embedding or of a token's vector.
int64_t result_size(const lffn_result* result, int32_t what);
// Why a text could not be run; "" if it was run.
const char* result_message(const lffn_result* result, int64_t text);

#endif  // LOOKUPFFN_BINDINGS_RAW_H
