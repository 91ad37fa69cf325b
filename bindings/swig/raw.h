// The few calls that the Java and .NET packages make into the core. No structs cross here: options and configurations
// are plain arguments, what a layer or a model is comes back as a row of numbers.
#ifndef LOOKUPFFN_BINDINGS_RAW_H
#define LOOKUPFFN_BINDINGS_RAW_H

#include <lookupffn/lookupffn.h>

// Numbers that both sides must agree on; raw.cc holds those of the public header against it.
enum Abi {
  // The version of the header that the package was built with, to be compared with native_version().
  ABI_VERSION = LFFN_VERSION_MAJOR * 10000 + LFFN_VERSION_MINOR * 100 + LFFN_VERSION_PATCH,

  STATUS_OK = 0,
  STATUS_INVALID_ARGUMENT = 1,
  STATUS_OUT_OF_MEMORY = 2,
  STATUS_IO = 3,
  STATUS_BAD_MODEL = 4,
  STATUS_UNSUPPORTED = 5,
  STATUS_CANCELLED = 6,
  STATUS_INTERNAL = 7,

  DTYPE_AS_STORED = -1,
  DTYPE_F32 = 0,
  DTYPE_BF16 = 1,
  DTYPE_INT8 = 2,

  ACTIVATION_GELU = 0,
  ACTIVATION_SIGMOID = 1,

  LOAD_MMAP = 1,
  LOAD_FLUSH_DENORMALS = 2,
  FORWARD_ADD = 1,

  POOLING_MODEL = 0,
  POOLING_FIRST = 1,
  POOLING_MEAN = 2,
  POOLING_MAX = 3,
  POOLING_MEAN_SQRT = 4,
  NORMALIZE_MODEL = 0,
  NORMALIZE_YES = 1,
  NORMALIZE_NO = 2,
  PROMPT_MODEL = 0,
  PROMPT_NONE = 1,
  PROMPT_NAMED = 2,
  PROMPT_TEXT = 3,
  SCORES_RAW = 0,
  SCORES_PROBABILITIES = 1,
  SCORES_MODEL = 2,
  // What model_text tells.
  TEXT_LABEL = 0,
  TEXT_PROMPT_NAME,
  TEXT_PROMPT,
  MAX_TOKENS_NEVER = 0,
  MAX_TOKENS_MODEL = -1,
  TOKENIZE_SPECIAL = 1,
  DETOKENIZE_SKIP_SPECIAL = 1,

  // What model_run computes.
  OUTPUT_HIDDEN = 0,
  OUTPUT_LOGITS,
  OUTPUT_CLASS_SCORES,
  OUTPUT_EMBEDDINGS,

  // The places of layer_info's numbers. The two float values come as their bits.
  INFO_HIDDEN_SIZE = 0,
  INFO_OUTPUT_SIZE,
  INFO_NUM_TABLES,
  INFO_TABLE_SIZE,
  INFO_CODE_BITS,
  INFO_PROJECTION,
  INFO_BLOCK_SIZE,
  INFO_NUM_CHAINS,
  INFO_ACTIVATION,
  INFO_NUM_PROBES,
  INFO_LAYER_NORM,
  INFO_DECAY_COEFF_BITS,
  INFO_LAYER_NORM_EPS_BITS,
  INFO_TABLE_DTYPE,
  INFO_HASH_DTYPE,
  INFO_NUM_THREADS,
  INFO_FLOP_PER_TOKEN,
  INFO_NUM_PARAMETERS,
  INFO_FILE_BYTES,
  INFO_MEMORY_BYTES,
  INFO_SCRATCH_BYTES,
  INFO_COUNT,

  // The places of model_info's numbers.
  MODEL_VOCAB_SIZE = 0,
  MODEL_HIDDEN_SIZE,
  MODEL_EMBEDDING_SIZE,
  MODEL_NUM_LAYERS,
  MODEL_NUM_LOOKUP_LAYERS,
  MODEL_NUM_HEADS,
  MODEL_HEAD_SIZE,
  MODEL_MAX_TOKENS,
  MODEL_OWN_MAX_TOKENS,
  MODEL_INTERMEDIATE_SIZE,
  MODEL_NUM_CLASSES,
  MODEL_HAS_LM_HEAD,
  MODEL_HAS_TOKENIZER,
  MODEL_IS_SENTENCE_ENCODER,
  MODEL_POOLING,
  MODEL_NORMALIZE,
  MODEL_BOS_ID,
  MODEL_EOS_ID,
  MODEL_PAD_ID,
  MODEL_UNK_ID,
  MODEL_MASK_ID,
  MODEL_NUM_PROMPTS,
  MODEL_DEFAULT_PROMPT,
  MODEL_SEVERAL_LABELS,
  MODEL_ARITHMETIC,
  MODEL_TABLE_DTYPE,
  MODEL_HASH_DTYPE,
  MODEL_LINEAR_DTYPE,
  MODEL_EMBEDDING_DTYPE,
  MODEL_NUM_THREADS,
  MODEL_FFN_FLOP_PER_TOKEN,
  MODEL_ATTENTION_FLOP_PER_TOKEN,
  MODEL_ATTENTION_FLOP_PER_PAIR,
  MODEL_OTHER_FLOP_PER_TOKEN,
  MODEL_LM_HEAD_FLOP_PER_TOKEN,
  MODEL_NUM_PARAMETERS,
  MODEL_FILE_BYTES,
  MODEL_MEMORY_BYTES,
  MODEL_SCRATCH_BYTES,
  MODEL_COUNT
};

int32_t native_version();
const char* native_isa();
// Why the call of this status failed: memory that ran out in the binding itself left no text.
const char* last_error(int32_t status);
int64_t live_handles();

lffn_status layer_load(const char* path, int32_t num_threads, int32_t table_dtype, int32_t hash_dtype, int32_t flags,
                       lffn_layer** out);
lffn_status layer_load_memory(const void* data, size_t size, int32_t num_threads, int32_t table_dtype,
                              int32_t hash_dtype, int32_t flags, lffn_layer** out);
lffn_status layer_random(int32_t hidden_size, int32_t output_size, int32_t num_tables, int32_t table_size,
                         int32_t projection, int32_t block_size, int32_t activation, int32_t num_probes,
                         int32_t layer_norm, float decay_coeff, float layer_norm_eps, int64_t seed, int32_t num_threads,
                         int32_t table_dtype, int32_t hash_dtype, int32_t flags, lffn_layer** out);
lffn_status layer_save(const lffn_layer* layer, const char* path);
lffn_status layer_info(const lffn_layer* layer, int64_t* numbers);
void layer_free(lffn_layer* layer);

// x and y are counted in floats from x_offset and y_offset, so that a Java buffer's position needs no new buffer.
lffn_status layer_forward(const lffn_layer* layer, const float* x, int64_t x_offset, int64_t n_tokens, float* y,
                          int64_t y_offset, int32_t flags, const int32_t* cancel);
lffn_status layer_hash(const lffn_layer* layer, const float* x, int64_t n_tokens, int32_t* codes, float* scores);

#endif  // LOOKUPFFN_BINDINGS_RAW_H
