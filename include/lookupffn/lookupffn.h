/* lookupffn.h - the C interface of liblookupffn
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * liblookupffn runs LookupFFN layers: feed-forward layers of transformers that hash each token and add up a few rows of
 * learned tables instead of multiplying by two large matrices. It also runs whole models made of them.
 *
 * In short:
 *
 *     lffn_layer* layer = NULL;
 *     if (lffn_layer_load("layer.safetensors", NULL, &layer) != LFFN_OK) {
 *         fprintf(stderr, "%s\n", lffn_last_error());
 *         return 1;
 *     }
 *     lffn_layer_forward(layer, x, n_tokens, y);
 *     lffn_layer_free(layer);
 *
 * Rules that hold for every function here:
 * - Text is UTF-8, file names included.
 * - A function that can fail returns lffn_status. On failure its outputs are untouched (except after cancellation, see
 *   lffn_forward_args) and lffn_last_error() tells what was wrong, in this thread.
 * - A handle never changes once made. Any number of threads may use one handle at once; only freeing it must come last.
 * - Nothing here throws, exits, prints, raises a signal or changes process-wide state.
 * - A struct whose first member is struct_size is filled by its _init function, which sets struct_size and defaults.
 *   Later versions only append members, so that programs built against an older header keep working.
 */
#ifndef LOOKUPFFN_LOOKUPFFN_H
#define LOOKUPFFN_LOOKUPFFN_H

#include <stddef.h>
#include <stdint.h>

#if defined(LOOKUPFFN_STATIC) || !defined(__GNUC__)
#define LFFN_API
#else
#define LFFN_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup basics Basics
 * Version, status codes, errors.
 * @{ */

#define LFFN_VERSION_MAJOR 0 /**< Grows when the ABI breaks. */
#define LFFN_VERSION_MINOR 1 /**< Grows when the ABI grows. */
#define LFFN_VERSION_PATCH 0 /**< Grows when only the inside changes. */

/** What a function that can fail returns: LFFN_OK or one of the LFFN_ERROR_ values. */
typedef int32_t lffn_status;

/** The values of lffn_status. They never change their meaning; later versions may add some. */
enum {
  LFFN_OK = 0,                     /**< Done. */
  LFFN_ERROR_INVALID_ARGUMENT = 1, /**< The caller passed something that cannot be meant. */
  LFFN_ERROR_OUT_OF_MEMORY = 2,    /**< An allocation failed; nothing was leaked. */
  LFFN_ERROR_IO = 3,               /**< The operating system refused to read or write a file. */
  LFFN_ERROR_BAD_MODEL = 4,        /**< A file or a set of tensors is not a valid model. */
  LFFN_ERROR_UNSUPPORTED = 5,      /**< Valid, but this build or this CPU cannot do it. */
  LFFN_ERROR_CANCELLED = 6,        /**< The caller's cancel flag was seen. */
  LFFN_ERROR_INTERNAL = 7          /**< A bug in the library; please report it. */
};

/** The version of the library that runs: major * 10000 + minor * 100 + patch. */
LFFN_API uint32_t lffn_version(void);

/** The name of a status value, such as "LFFN_ERROR_IO"; "LFFN_ERROR_UNKNOWN" for a value this version does not know. */
LFFN_API const char* lffn_status_name(lffn_status status);

/** What this thread's last failure was, in one sentence. Never NULL; "" when nothing has failed yet.
 * The text stays valid until the next failing call in the same thread. */
LFFN_API const char* lffn_last_error(void);

/** The instruction set of the kernels in use: "generic", "baseline", "avx2", "avxvnni", "avx512",
 * "avx512vnni", "neon" or "neondot".
 * The environment variable LOOKUPFFN_ISA chooses one by name. When its value cannot be used this returns "" and every
 * load fails with the reason. */
LFFN_API const char* lffn_isa(void);

/** How many handles are alive in this process. For leak checks in tests. */
LFFN_API int64_t lffn_live_handles(void);

/** @} */
/** @defgroup layer A layer
 * Load, run, save and free one LookupFFN layer.
 * @{ */

/** The element types of stored numbers. */
enum {
  LFFN_DTYPE_AS_STORED = -1, /**< In lffn_load_options: keep what the file holds. */
  LFFN_F32 = 0,              /**< IEEE float32. */
  LFFN_BF16 = 1,             /**< bfloat16: the upper half of a float32. */
  LFFN_INT8 = 2,             /**< int8 with scales. */
  LFFN_F16 = 3               /**< IEEE float16; for tensors passed in only. */
};

/** Flags of lffn_load_options. */
enum {
  /** Map the file while loading instead of reading it. Saves one copy; but a file that another process shortens
   * meanwhile then kills this process with SIGBUS, which is why it is off by default. */
  LFFN_LOAD_MMAP = 1u << 0,
  /** Treat denormal numbers as zero inside forward; the calling thread's mode is restored afterwards. */
  LFFN_LOAD_FLUSH_DENORMALS = 1u << 1
};

/** How to load. Call lffn_load_options_init first. */
typedef struct lffn_load_options {
  size_t struct_size;  /**< sizeof(lffn_load_options), set by the _init function. */
  int32_t num_threads; /**< Threads per forward; 0 = what affinity, cgroup and OMP_NUM_THREADS leave. Default 0. */
  int32_t table_dtype; /**< LFFN_F32, LFFN_BF16, LFFN_INT8 or LFFN_DTYPE_AS_STORED (default). */
  int32_t hash_dtype;  /**< LFFN_F32, LFFN_INT8 or LFFN_DTYPE_AS_STORED (default). */
  uint32_t flags;      /**< LFFN_LOAD_ values or-ed together. Default 0. */
  /** Of a model's linear layers: LFFN_F32, LFFN_INT8 or LFFN_DTYPE_AS_STORED (default). Layers ignore it. */
  int32_t linear_dtype;
} lffn_load_options;

/** Fills in the defaults. NULL is ignored. */
LFFN_API void lffn_load_options_init(lffn_load_options* options);

/** Values of lffn_layer_config.projection besides 1..9, which mean BH1..BH9. */
enum { LFFN_PROJECTION_DENSE = 0 };

/** Values of lffn_layer_config.activation: how a table's score follows from its hash values. */
enum { LFFN_ACTIVATION_GELU = 0, LFFN_ACTIVATION_SIGMOID = 1 };

/** The shape of a layer. Call lffn_layer_config_init first. */
typedef struct lffn_layer_config {
  size_t struct_size;   /**< sizeof(lffn_layer_config), set by the _init function. */
  int32_t hidden_size;  /**< d, floats per input token. No default. */
  int32_t output_size;  /**< Floats per output token. Default 0, which means hidden_size. */
  int32_t num_tables;   /**< h. No default. */
  int32_t table_size;   /**< Rows per table, a power of two from 2 to 65536. No default. */
  int32_t projection;   /**< LFFN_PROJECTION_DENSE or m of BH{m}, 1..9. Default 4. */
  int32_t block_size;   /**< Of the BH blocks: a power of two up to the padded hidden_size. Default 64. */
  int32_t activation;   /**< LFFN_ACTIVATION_. Default gelu. */
  int32_t num_probes;   /**< Rows read per table, 1..table_size. Default 1. */
  int32_t layer_norm;   /**< 1: the layer starts with a layer norm. Default 1. */
  float decay_coeff;    /**< Weight of the projection against its input. Default 0.7. */
  float layer_norm_eps; /**< Default 1e-5. */
  uint64_t seed;        /**< Of random weights, see lffn_layer_create. Default 0. */
} lffn_layer_config;

/** Fills in the defaults. NULL is ignored. */
LFFN_API void lffn_layer_config_init(lffn_layer_config* config);

/** A tensor of the caller's. In an array of them every struct_size must be the same. */
typedef struct lffn_tensor {
  size_t struct_size; /**< sizeof(lffn_tensor). */
  const char* name;   /**< Such as "tables" or "hash.projection.weight". */
  int32_t dtype;      /**< LFFN_F32, LFFN_F16, LFFN_BF16 or LFFN_INT8. */
  int32_t rank;       /**< 0..8. */
  int64_t shape[8];   /**< The first `rank` are used. */
  const void* data;   /**< Row-major, without gaps; any alignment. */
  size_t size;        /**< Of data, in bytes. */
} lffn_tensor;

/** Clears the tensor and sets its struct_size. NULL is ignored. */
LFFN_API void lffn_tensor_init(lffn_tensor* tensor);

/** What a layer is and costs. */
typedef struct lffn_layer_info {
  size_t struct_size;     /**< sizeof(lffn_layer_info), set by the _init function. */
  int32_t hidden_size;    /**< d. */
  int32_t output_size;    /**< Floats per output token. */
  int32_t num_tables;     /**< h. */
  int32_t table_size;     /**< Rows per table, 2^tau. */
  int32_t code_bits;      /**< tau. */
  int32_t projection;     /**< LFFN_PROJECTION_DENSE or m of BH{m}. */
  int32_t block_size;     /**< Of the BH blocks; 0 for a dense projection. */
  int32_t num_chains;     /**< R, how many BH chains stand side by side; 0 for a dense projection. */
  int32_t activation;     /**< LFFN_ACTIVATION_. */
  int32_t num_probes;     /**< Rows read per table. */
  int32_t layer_norm;     /**< 1 if the layer starts with a layer norm. */
  float decay_coeff;      /**< Weight of the projection against its input. */
  float layer_norm_eps;   /**< Of the layer norm. */
  int32_t table_dtype;    /**< LFFN_F32, LFFN_BF16 or LFFN_INT8: as held in memory. */
  int32_t hash_dtype;     /**< LFFN_F32 or LFFN_INT8: as held in memory. */
  int32_t num_threads;    /**< Threads per forward, resolved. */
  int64_t flop_per_token; /**< The paper's count. */
  int64_t num_parameters; /**< Numbers learned. */
  int64_t file_bytes;     /**< Tensor bytes that lffn_layer_save writes. */
  int64_t memory_bytes;   /**< Weights held in memory. */
  int64_t scratch_bytes;  /**< At most this much scratch memory per forward in flight. */
} lffn_layer_info;

/** Sets struct_size and clears the rest. NULL is ignored. */
LFFN_API void lffn_layer_info_init(lffn_layer_info* info);

/** A loaded layer. */
typedef struct lffn_layer lffn_layer;

/** Loads a layer from a safetensors file.
 * @param path    the file's name, UTF-8
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_layer_free */
LFFN_API lffn_status lffn_layer_load(const char* path, const lffn_load_options* options, lffn_layer** out);

/** Loads a layer from the bytes of a safetensors file. The bytes may have any alignment and may be freed afterwards. */
LFFN_API lffn_status lffn_layer_load_memory(const void* data, size_t size, const lffn_load_options* options,
                                            lffn_layer** out);

/** Makes a layer from tensors, which are copied. They bear the names of the file format, without prefix.
 * With n_tensors = 0 the weights are random, the same for the same config and seed on every machine. */
LFFN_API lffn_status lffn_layer_create(const lffn_layer_config* config, const lffn_tensor* tensors, size_t n_tensors,
                                       const lffn_load_options* options, lffn_layer** out);

/** Writes the layer to a file, in the element types it holds in memory, so that loading it again gives the same bits.
 * The file appears whole or not at all: an old file of that name stays until the new one is on disk. */
LFFN_API lffn_status lffn_layer_save(const lffn_layer* layer, const char* path);

/** Runs the layer: y = LookupFFN(x).
 * @param layer    the layer
 * @param x        [n_tokens, hidden_size] floats
 * @param n_tokens any number from 0
 * @param y        [n_tokens, output_size] floats; may be x itself when the sizes are equal, must not overlap x
 * otherwise
 *
 * A token's result is the same to the bit whatever the batch it is in, the number of threads and the instruction set
 * (among those with fused multiply-add). Tokens with NaN or infinite values spoil only their own outputs. */
LFFN_API lffn_status lffn_layer_forward(const lffn_layer* layer, const float* x, int64_t n_tokens, float* y);

/** Flags of lffn_forward_args. */
enum {
  LFFN_FORWARD_ADD = 1u << 0 /**< y += LookupFFN(x), the residual connection. */
};

/** The arguments of lffn_layer_forward_ex. Call lffn_forward_args_init first. */
typedef struct lffn_forward_args {
  size_t struct_size; /**< sizeof(lffn_forward_args), set by the _init function. */
  const float* x;     /**< The first input token. */
  int64_t x_stride;   /**< Floats from one input token to the next; 0 = hidden_size. */
  float* y;           /**< The first output token. */
  int64_t y_stride;   /**< Floats from one output token to the next; 0 = output_size. */
  int64_t n_tokens;   /**< Any number from 0. */
  uint32_t flags;     /**< LFFN_FORWARD_ values or-ed together. Default 0. */
  /** NULL, or a number that another thread may set to non-zero while the call runs. The call then ends soon with
   * LFFN_ERROR_CANCELLED; by then any of y's tokens may have been written, wholly or in part, and nothing else. */
  const int32_t* cancel;
} lffn_forward_args;

/** Fills in the defaults. NULL is ignored. */
LFFN_API void lffn_forward_args_init(lffn_forward_args* args);

/** Runs the layer with strides, with a residual, or so that it can be cancelled. x and y may be the same array with the
 * same stride, and must not overlap otherwise. */
LFFN_API lffn_status lffn_layer_forward_ex(const lffn_layer* layer, const lffn_forward_args* args);

/** Only hashes: which rows a forward would add up, with which weights.
 * @param layer    the layer
 * @param x        [n_tokens, hidden_size] floats
 * @param n_tokens any number from 0
 * @param codes    receives [n_tokens, num_tables, num_probes]; may be NULL
 * @param scores   receives as many weights; may be NULL */
LFFN_API lffn_status lffn_layer_hash(const lffn_layer* layer, const float* x, int64_t n_tokens, int32_t* codes,
                                     float* scores);

/** Tells what the layer is and costs. info->struct_size must be set, see lffn_layer_info_init. */
LFFN_API lffn_status lffn_layer_get_info(const lffn_layer* layer, lffn_layer_info* info);

/** Frees the layer. NULL is ignored. No other thread may be using the handle. */
LFFN_API void lffn_layer_free(lffn_layer* layer);

/** @} */
/** @defgroup model A model
 * Load, run, save and free a whole model: the pre-norm RoBERTa encoder, with lookup or vanilla feed-forward layers,
 * and the heads that its file holds.
 *
 *     lffn_model* model = NULL;
 *     if (lffn_model_load("my-model", NULL, &model) != LFFN_OK) ...
 *     const int64_t offsets[3] = {0, 5, 12};  // two sequences, of 5 and 7 tokens
 *     lffn_model_embed(model, ids, offsets, 2, LFFN_POOLING_MEAN, 1, embeddings);
 *     lffn_model_free(model);
 *
 * Sequences lie back to back in one array, without padding: sequence i is ids[offsets[i]] up to, not including,
 * ids[offsets[i + 1]], and offsets[0] is 0. An id is 0 or more and below vocab_size, a sequence has at most max_tokens
 * tokens (see lffn_model_info). Anything else is LFFN_ERROR_INVALID_ARGUMENT, and so is asking for a head that the
 * model has not. A sequence's results are the same to the bit alone or among others, whatever the number of threads
 * and the instruction set (among those with fused multiply-add).
 * @{ */

/** A loaded model. */
typedef struct lffn_model lffn_model;

/** Loads a model.
 * @param path    a folder with config.json, model.safetensors and, for text, tokenizer.json or vocab.json with
 * merges.txt; or a file that lffn_model_save wrote; UTF-8
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_model_free */
LFFN_API lffn_status lffn_model_load(const char* path, const lffn_load_options* options, lffn_model** out);

/** Loads a model from the bytes of a file that lffn_model_save wrote. They may have any alignment and may be freed
 * afterwards. */
LFFN_API lffn_status lffn_model_load_memory(const void* data, size_t size, const lffn_load_options* options,
                                            lffn_model** out);

/** Writes the model to one file, its tokenizer inside, in the element types it holds in memory, so that loading it
 * again gives the same bits. The file appears whole or not at all. */
LFFN_API lffn_status lffn_model_save(const lffn_model* model, const char* path);

/** Frees the model. NULL is ignored. No other thread may be using the handle. */
LFFN_API void lffn_model_free(lffn_model* model);

/** What a model is and costs. The FLOP of a sequence of n tokens are n times (ffn_flop_per_token +
 * attention_flop_per_token + other_flop_per_token + n * attention_flop_per_pair), and lm_head_flop_per_token for each
 * position that logits are asked for. */
typedef struct lffn_model_info {
  size_t struct_size;               /**< sizeof(lffn_model_info), set by the _init function. */
  int32_t vocab_size;               /**< Token ids are below it. */
  int32_t hidden_size;              /**< Floats per token. */
  int32_t num_layers;               /**< Encoder layers. */
  int32_t num_lookup_layers;        /**< Those with a lookup FFN; the others have a vanilla one. */
  int32_t num_heads;                /**< Attention heads. */
  int32_t head_size;                /**< Floats per attention head. */
  int32_t max_tokens;               /**< Of the longest sequence that the model can run. */
  int32_t intermediate_size;        /**< Of vanilla FFNs; 0 if there is none. */
  int32_t num_classes;              /**< Of the classifier; 0 if there is none. */
  int32_t has_lm_head;              /**< 1 if the model can give logits. */
  int32_t has_tokenizer;            /**< 1 if the model can read text. */
  int32_t bos_id;                   /**< Of the token that begins a text; -1 for none, as with the other ids. */
  int32_t eos_id;                   /**< Of the token that ends a text. */
  int32_t pad_id;                   /**< Of the padding token, which is never needed here. */
  int32_t unk_id;                   /**< Of the token for what the vocabulary has not. */
  int32_t mask_id;                  /**< Of the token for a blank to be filled. */
  int32_t table_dtype;              /**< LFFN_F32, LFFN_BF16 or LFFN_INT8: as held in memory. */
  int32_t hash_dtype;               /**< LFFN_F32 or LFFN_INT8: as held in memory. */
  int32_t linear_dtype;             /**< LFFN_F32 or LFFN_INT8: as held in memory. */
  int32_t num_threads;              /**< Threads per call, resolved. */
  int64_t ffn_flop_per_token;       /**< Of all feed-forward layers; the paper's count. */
  int64_t attention_flop_per_token; /**< Of the four linear layers of each attention. */
  int64_t attention_flop_per_pair;  /**< Of scores and sums, for each token and each token it attends to. */
  int64_t other_flop_per_token;     /**< Embeddings, layer norms and residuals. */
  int64_t lm_head_flop_per_token;   /**< Of the logits of one position; 0 without the head. */
  int64_t num_parameters;           /**< Numbers learned. */
  int64_t file_bytes;               /**< Bytes of the weights that lffn_model_save writes. */
  int64_t memory_bytes;             /**< Weights held in memory. */
  /** At most this much scratch memory per call in flight, besides hidden_size floats for each position asked for and
   * each sequence classified. */
  int64_t scratch_bytes;
} lffn_model_info;

/** Sets struct_size and clears the rest. NULL is ignored. */
LFFN_API void lffn_model_info_init(lffn_model_info* info);

/** Tells what the model is and costs. info->struct_size must be set, see lffn_model_info_init. */
LFFN_API lffn_status lffn_model_get_info(const lffn_model* model, lffn_model_info* info);

/** The hidden states after the last layer norm.
 * @param model   the model
 * @param ids     token ids, sequence after sequence
 * @param offsets [n + 1] where each sequence begins, and where the last one ends
 * @param n       sequences, any number from 0; they may be empty
 * @param hidden  receives [offsets[n], hidden_size] */
LFFN_API lffn_status lffn_model_encode(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                                       float* hidden);

/** The language model head's logits at some positions.
 * @param model       the model
 * @param ids         token ids, sequence after sequence
 * @param offsets     [n + 1] where each sequence begins, and where the last one ends
 * @param n           sequences, any number from 0
 * @param positions   places in ids, in any order
 * @param n_positions how many
 * @param logits      receives [n_positions, vocab_size] */
LFFN_API lffn_status lffn_model_logits(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                                       const int64_t* positions, int64_t n_positions, float* logits);

/** The classifier's scores, before any softmax.
 * @param model   the model
 * @param ids     token ids, sequence after sequence
 * @param offsets [n + 1] where each sequence begins, and where the last one ends
 * @param n       sequences, any number from 0, none of them empty
 * @param scores  receives [n, num_classes] */
LFFN_API lffn_status lffn_model_classify(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                                         float* scores);

/** How a sequence's hidden states become one vector. */
enum {
  LFFN_POOLING_FIRST = 0, /**< That of the first token. */
  LFFN_POOLING_MEAN = 1,  /**< Their mean. */
  LFFN_POOLING_MAX = 2    /**< The largest of each number. */
};

/** One vector for each sequence.
 * @param model     the model
 * @param ids       token ids, sequence after sequence
 * @param offsets   [n + 1] where each sequence begins, and where the last one ends
 * @param n         sequences, any number from 0, none of them empty
 * @param pooling   LFFN_POOLING_
 * @param normalize not 0: divide each vector by its Euclidean length, unless that is 0
 * @param out       receives [n, hidden_size] */
LFFN_API lffn_status lffn_model_embed(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                                      int32_t pooling, int32_t normalize, float* out);

/** What the time of a call goes into, the places in lffn_model_run_args.seconds. */
enum {
  LFFN_STAGE_ATTENTION = 0, /**< Attention's scores, softmax and sums. */
  LFFN_STAGE_LINEAR = 1,    /**< Its linear layers, with the layer norm before them. */
  LFFN_STAGE_FFN = 2,       /**< Feed-forward layers, with theirs. */
  LFFN_STAGE_OTHER = 3,     /**< Embeddings, the last layer norm, heads, and all else. */
  LFFN_NUM_STAGES = 4
};

/** The arguments of lffn_model_run. Call lffn_model_run_args_init first. Outputs that stay NULL are not computed. */
typedef struct lffn_model_run_args {
  size_t struct_size;       /**< sizeof(lffn_model_run_args), set by the _init function. */
  const int32_t* ids;       /**< Token ids, sequence after sequence. */
  const int64_t* offsets;   /**< [n + 1] where each sequence begins, and where the last one ends. */
  int64_t n;                /**< Sequences. */
  float* hidden;            /**< As in lffn_model_encode. */
  const int64_t* positions; /**< As in lffn_model_logits. */
  int64_t n_positions;      /**< As in lffn_model_logits. */
  float* logits;            /**< As in lffn_model_logits. */
  float* class_scores;      /**< As in lffn_model_classify. */
  int32_t pooling;          /**< As in lffn_model_embed. */
  int32_t normalize;        /**< As in lffn_model_embed. */
  float* embeddings;        /**< As in lffn_model_embed. */
  /** NULL, or a number that another thread may set to non-zero while the call runs. The call then ends soon with
   * LFFN_ERROR_CANCELLED; by then any part of the outputs may have been written, and nothing else. */
  const int32_t* cancel;
  double* seconds; /**< Receives [LFFN_NUM_STAGES] how long each stage took, on all threads together. */
} lffn_model_run_args;

/** Fills in the defaults. NULL is ignored. */
LFFN_API void lffn_model_run_args_init(lffn_model_run_args* args);

/** Runs the model once for several kinds of outputs, or so that it can be cancelled. */
LFFN_API lffn_status lffn_model_run(const lffn_model* model, const lffn_model_run_args* args);

/** @} */
/** @defgroup text Text
 * Text in, answers out, for models with a tokenizer (see lffn_model_info.has_tokenizer): RoBERTa's byte-level BPE.
 *
 *     const char text[] = "Freedom is <mask> word.";
 *     int32_t ids[5];
 *     float probabilities[5];
 *     size_t n_masks = 0;
 *     lffn_model_fill_mask(model, text, strlen(text), 5, ids, probabilities, 1, &n_masks);
 *
 * Texts are bytes with their number and need no zero byte at the end; zero bytes inside are characters like others.
 * "<s>", "<pad>", "</s>", "<unk>" and "<mask>" in a text are those tokens; "<mask>" swallows the blanks before it. Text
 * that is not UTF-8 is LFFN_ERROR_INVALID_ARGUMENT, and so are texts for a model without a tokenizer.
 * @{ */

/** Flags for turning text into tokens. */
enum {
  LFFN_TOKENIZE_SPECIAL = 1u << 0, /**< "<s>" before the text and "</s>" behind it. */
  LFFN_TOKENIZE_TRUNCATE = 1u << 1 /**< Only the first tokens, as many as the model can run; "</s>" stays. */
};

/** The ids of a text's tokens.
 * @param model    the model
 * @param utf8     the text
 * @param n_bytes  its bytes
 * @param flags    LFFN_TOKENIZE_ values or-ed together
 * @param ids      receives the first `capacity` ids; NULL with a capacity of 0 to ask only how many there are
 * @param capacity room in ids; n_bytes + 2 is always enough
 * @param n_ids    receives how many ids the text has, also when there are more than capacity */
LFFN_API lffn_status lffn_model_tokenize(const lffn_model* model, const char* utf8, size_t n_bytes, uint32_t flags,
                                         int32_t* ids, size_t capacity, size_t* n_ids);

/** The ids of a text's tokens, and which bytes of the text each comes from: always whole characters, also for a token
 * that is a part of one. Blanks that a token begins or ends with are left out where the tokenizer's files ask for it
 * (trim_offsets), as they usually do. What the template adds, such as "<s>", has 0 and 0.
 * @param model    the model
 * @param utf8     the text
 * @param n_bytes  its bytes
 * @param flags    LFFN_TOKENIZE_ values or-ed together
 * @param ids      receives the first `capacity` ids; may be NULL
 * @param begins   receives where in the text each of them begins, in bytes; may be NULL
 * @param ends     receives where each of them ends; may be NULL
 * @param capacity room in each of the arrays
 * @param n_ids    receives how many ids the text has, also when there are more than capacity */
LFFN_API lffn_status lffn_model_tokenize_spans(const lffn_model* model, const char* utf8, size_t n_bytes,
                                               uint32_t flags, int32_t* ids, int64_t* begins, int64_t* ends,
                                               size_t capacity, size_t* n_ids);

/** Flags for turning tokens into text. */
enum {
  LFFN_DETOKENIZE_SKIP_SPECIAL = 1u << 0 /**< Leave out "<s>", "</s>" and their like. */
};

/** The text of ids. Bytes that are not UTF-8, as half of a character has, become U+FFFD.
 * @param model    the model
 * @param ids      ids of the vocabulary
 * @param n_ids    how many
 * @param flags    LFFN_DETOKENIZE_ values or-ed together
 * @param utf8     receives the first `capacity` bytes, without a zero byte; NULL with a capacity of 0
 * @param capacity room in utf8
 * @param n_bytes  receives how many bytes the text has, also when there are more than capacity */
LFFN_API lffn_status lffn_model_detokenize(const lffn_model* model, const int32_t* ids, size_t n_ids, uint32_t flags,
                                           char* utf8, size_t capacity, size_t* n_bytes);

/** The most likely tokens in place of each "<mask>" in a text.
 * @param model         a model with a language model head
 * @param utf8          the text, of at most max_tokens tokens with "<s>" and "</s>", which are added
 * @param n_bytes       its bytes
 * @param top_k         tokens wanted for each mask, 1 to vocab_size
 * @param ids           receives [masks, top_k] ids, the most likely first; may be NULL
 * @param probabilities receives [masks, top_k]; may be NULL
 * @param capacity      room in each of the arrays, in masks
 * @param n_masks       receives how many masks the text has, also when there are more than capacity */
LFFN_API lffn_status lffn_model_fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k,
                                          int32_t* ids, float* probabilities, size_t capacity, size_t* n_masks);

/** lffn_model_fill_mask that another thread may end: see lffn_model_run_args.cancel. Cancelled, it leaves its outputs
 * untouched.
 * @param model         a model with a language model head
 * @param utf8          the text
 * @param n_bytes       its bytes
 * @param top_k         tokens wanted for each mask
 * @param ids           receives [masks, top_k] ids, the most likely first; may be NULL
 * @param probabilities receives [masks, top_k]; may be NULL
 * @param capacity      room in each of the arrays, in masks
 * @param n_masks       receives how many masks the text has
 * @param cancel        NULL, or a number that another thread may set to non-zero */
LFFN_API lffn_status lffn_model_fill_mask_cancellable(const lffn_model* model, const char* utf8, size_t n_bytes,
                                                      int32_t top_k, int32_t* ids, float* probabilities,
                                                      size_t capacity, size_t* n_masks, const int32_t* cancel);

/** One vector for each text.
 * @param model     the model
 * @param texts     [n] texts
 * @param sizes     [n] their bytes; NULL when each text ends with a zero byte
 * @param n         how many, any number from 0
 * @param flags     LFFN_TOKENIZE_TRUNCATE to cut texts that are too long, which are an error otherwise; "<s>" and
 * "</s>" are always added
 * @param pooling   LFFN_POOLING_
 * @param normalize not 0: divide each vector by its Euclidean length, unless that is 0
 * @param out       receives [n, hidden_size] */
LFFN_API lffn_status lffn_model_embed_texts(const lffn_model* model, const char* const* texts, const size_t* sizes,
                                            int64_t n, uint32_t flags, int32_t pooling, int32_t normalize, float* out);

/** The classifier's scores for each text, before any softmax.
 * @param model  a model with a classifier
 * @param texts  [n] texts
 * @param sizes  [n] their bytes; NULL when each text ends with a zero byte
 * @param n      how many, any number from 0
 * @param flags  as in lffn_model_embed_texts
 * @param scores receives [n, num_classes] */
LFFN_API lffn_status lffn_model_classify_texts(const lffn_model* model, const char* const* texts, const size_t* sizes,
                                               int64_t n, uint32_t flags, float* scores);

/** @} */
/** @defgroup hooks Hooks
 * For hosts that account for memory or collect logs. Set them before making handles.
 * @{ */

/** The levels of log messages. */
enum { LFFN_LOG_ERROR = 0, LFFN_LOG_WARNING = 1, LFFN_LOG_INFO = 2 };

/** Receives one line of text without a line end. May be called from any thread that calls the library. */
typedef void (*lffn_log_callback)(int32_t level, const char* message, void* user);

/** Ends the helper threads and returns once they are gone. To be called before dlclose of a plugin that holds the
 * static library; the shared one is never unloaded. Later calls start helpers again. */
LFFN_API void lffn_shutdown_threads(void);

/** Sets who receives log messages; NULL (the default) drops them. */
LFFN_API void lffn_set_log_callback(lffn_log_callback callback, void* user);

/** Where weights and scratch memory come from. Small bookkeeping objects use operator new. */
typedef struct lffn_allocator {
  size_t struct_size;                                           /**< sizeof(lffn_allocator). */
  void* (*allocate)(size_t size, size_t alignment, void* user); /**< Returns NULL when there is no memory. */
  void (*deallocate)(void* memory, size_t size, void* user);    /**< Gets the size that was asked for. */
  void* user;                                                   /**< Passed to both. */
} lffn_allocator;

/** Sets the allocator; NULL restores the library's own. Memory goes back to the allocator it came from. */
LFFN_API lffn_status lffn_set_allocator(const lffn_allocator* allocator);

/** @} */
/** @defgroup training Training
 * Forward and backward of a layer whose weights the caller owns and changes between calls, as an optimiser does. The
 * library keeps nothing of them. All numbers are float32, row-major, without gaps.
 * @{ */

/** A layer's weights, in the shapes of the file format. */
typedef struct lffn_train_weights {
  size_t struct_size;       /**< sizeof(lffn_train_weights), set by the _init function. */
  const float* norm_gain;   /**< LayerNorm.weight, [hidden_size]; not read without layer norm. */
  const float* norm_shift;  /**< LayerNorm.bias, [hidden_size]; not read without layer norm. */
  const float* hash_weight; /**< hash.projection.weight: [chains, m, blocks, block_size, block_size], or for a dense
                                 projection [num_tables * code_bits, hidden_size]. */
  const float* hash_bias;   /**< hash.projection.bias, [num_tables * code_bits]. */
  const float* tables;      /**< [num_tables, table_size, output_size]. */
  const float* bias;        /**< [output_size]. */
} lffn_train_weights;

/** Sets struct_size and clears the rest. NULL is ignored. */
LFFN_API void lffn_train_weights_init(lffn_train_weights* weights);

/** Room for the gradients of the weights, in the same shapes. */
typedef struct lffn_train_gradients {
  size_t struct_size; /**< sizeof(lffn_train_gradients), set by the _init function. */
  float* norm_gain;   /**< Not written without layer norm. */
  float* norm_shift;  /**< Not written without layer norm. */
  float* hash_weight; /**< Of hash.projection.weight. */
  float* hash_bias;   /**< Of hash.projection.bias. */
  float* tables;      /**< Of tables. */
  float* bias;        /**< Of bias. */
} lffn_train_gradients;

/** Sets struct_size and clears the rest. NULL is ignored. */
LFFN_API void lffn_train_gradients_init(lffn_train_gradients* gradients);

/** y = LookupFFN(x) with the caller's weights.
 * @param config      the shape; num_probes must be 1 (LFFN_ERROR_UNSUPPORTED otherwise), the seed is not used
 * @param weights     all of them
 * @param x           [n_tokens, hidden_size]
 * @param n_tokens    any number from 0
 * @param num_threads 0 = what affinity, cgroup and OMP_NUM_THREADS leave
 * @param y           receives [n_tokens, output_size]; must not overlap x
 * @param z           receives the hash values, [n_tokens, num_tables, code_bits], for lffn_train_backward; may be NULL
 *
 * The results are the same to the bit for any number of threads. They may differ in the last bits from those of
 * lffn_layer_forward, and from one instruction set to another. */
LFFN_API lffn_status lffn_train_forward(const lffn_layer_config* config, const lffn_train_weights* weights,
                                        const float* x, int64_t n_tokens, int32_t num_threads, float* y, float* z);

/** The gradients of a loss, from its gradient by y. The codes are held constant.
 * @param config      as for the forward
 * @param weights     as for the forward
 * @param x           as for the forward
 * @param z           what the forward wrote
 * @param grad_y      [n_tokens, output_size]
 * @param n_tokens    any number from 0
 * @param num_threads 0 = what affinity, cgroup and OMP_NUM_THREADS leave
 * @param grad_x      receives [n_tokens, hidden_size]; may be NULL
 * @param gradients   receives the gradients of all weights; what was there before is overwritten
 *
 * The results are the same to the bit for any number of threads. */
LFFN_API lffn_status lffn_train_backward(const lffn_layer_config* config, const lffn_train_weights* weights,
                                         const float* x, const float* z, const float* grad_y, int64_t n_tokens,
                                         int32_t num_threads, float* grad_x, const lffn_train_gradients* gradients);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_LOOKUPFFN_H */
