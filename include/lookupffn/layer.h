/* layer.h - load, run, save and free one LookupFFN layer. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_LAYER_H
#define LOOKUPFFN_LAYER_H

#include "lookupffn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup layer A layer
 * Load, run, save and free one LookupFFN layer.
 * @{ */

/** Values of lffn_layer_config.projection besides 1..9, which mean BH1..BH9. */
enum { LFFN_PROJECTION_DENSE = 0 };

/** Values of lffn_layer_config.activation: how a table's score is computed from its hash values. */
enum { LFFN_ACTIVATION_GELU = 0, LFFN_ACTIVATION_SIGMOID = 1 };

/** The shape of a layer. Call lffn_layer_config_init first. */
typedef struct lffn_layer_config {
  size_t struct_size;   /**< sizeof(lffn_layer_config), set by the _init function. */
  int32_t hidden_size;  /**< d, floats per input token. No default. */
  int32_t output_size;  /**< Floats per output token. Default 0, which means hidden_size. */
  int32_t num_tables;   /**< h. No default. */
  int32_t table_size;   /**< Rows per table, a power of two from 2 to 65536. No default. */
  int32_t projection;   /**< LFFN_PROJECTION_DENSE or m of BH{m}, 1..9. Default 4. */
  int32_t block_size;   /**< Size of the BH blocks: a power of two up to the padded hidden_size. Default 64. */
  int32_t activation;   /**< LFFN_ACTIVATION_. Default gelu. */
  int32_t num_probes;   /**< Rows read per table, 1..table_size. Default 1. */
  int32_t layer_norm;   /**< 1: the layer starts with a layer norm. Default 1. */
  float decay_coeff;    /**< Weight of the projection relative to its input. Default 0.7. */
  float layer_norm_eps; /**< Default 1e-5. */
  uint32_t reserved;    /**< 0. */
  uint64_t seed;        /**< For random weights, see lffn_layer_create. Default 0. */
} lffn_layer_config;

/** What lffn_layer_config_init calls.
 * @param config      NULL is ignored
 * @param struct_size the caller's sizeof(lffn_layer_config) */
LFFN_API void lffn_layer_config_init_sized(lffn_layer_config* config, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_layer_config_init(config) lffn_layer_config_init_sized((config), sizeof *(config))

/** A tensor that the caller owns. In an array of them every struct_size must be the same. */
typedef struct lffn_tensor {
  size_t struct_size; /**< sizeof(lffn_tensor), set by the _init function. */
  const char* name;   /**< Such as "tables" or "hash.projection.weight". */
  int32_t dtype;      /**< LFFN_DTYPE_F32, LFFN_DTYPE_F16, LFFN_DTYPE_BF16 or LFFN_DTYPE_INT8. */
  int32_t rank;       /**< 0..8. */
  int64_t shape[8];   /**< The first `rank` are used. */
  const void* data;   /**< Row-major, without gaps; any alignment. */
  size_t size;        /**< Bytes of data. */
} lffn_tensor;

/** What lffn_tensor_init calls.
 * @param tensor      NULL is ignored
 * @param struct_size the caller's sizeof(lffn_tensor) */
LFFN_API void lffn_tensor_init_sized(lffn_tensor* tensor, size_t struct_size);
/** Clears the tensor and sets its struct_size. NULL is ignored. */
#define lffn_tensor_init(tensor) lffn_tensor_init_sized((tensor), sizeof *(tensor))

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
  int32_t num_chains;     /**< R, the number of BH chains side by side; 0 for a dense projection. */
  int32_t activation;     /**< LFFN_ACTIVATION_. */
  int32_t num_probes;     /**< Rows read per table. */
  int32_t layer_norm;     /**< 1 if the layer starts with a layer norm. */
  float decay_coeff;      /**< Weight of the projection relative to its input. */
  float layer_norm_eps;   /**< Of the layer norm. */
  int32_t table_dtype;    /**< LFFN_DTYPE_F32, LFFN_DTYPE_BF16 or LFFN_DTYPE_INT8: as held in memory. */
  int32_t hash_dtype;     /**< LFFN_DTYPE_F32 or LFFN_DTYPE_INT8: as held in memory. */
  int32_t num_threads;    /**< Threads per forward, resolved. */
  int64_t flop_per_token; /**< The paper's count. */
  int64_t num_parameters; /**< Learned numbers. */
  size_t file_bytes;      /**< Tensor bytes that lffn_layer_save writes. */
  size_t memory_bytes;    /**< Weights held in memory. */
  size_t scratch_bytes;   /**< At most this much scratch memory per forward in flight. */
} lffn_layer_info;

/** What lffn_layer_info_init calls.
 * @param info        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_layer_info) */
LFFN_API void lffn_layer_info_init_sized(lffn_layer_info* info, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_layer_info_init(info) lffn_layer_info_init_sized((info), sizeof *(info))

/** A loaded layer. */
typedef struct lffn_layer lffn_layer;

/** Loads a layer from a safetensors file.
 * @param path    the file's name, UTF-8
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_layer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_load(const char* path, const lffn_load_options* options, lffn_layer** out);

/** Loads a layer from the bytes of a safetensors file.
 * @param data    the bytes, of any alignment; they may be freed afterwards
 * @param size    how many
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_layer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_load_memory(const void* data, size_t size,
                                                         const lffn_load_options* options, lffn_layer** out);

/** Makes a layer from tensors.
 * @param config    the shape
 * @param tensors   [n_tensors] copied; they have the names of the file format, without prefix
 * @param n_tensors how many; 0: the weights are random, the same for the same config and seed on every machine
 * @param options   NULL for the defaults
 * @param out       receives the handle; free it with lffn_layer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_create(const lffn_layer_config* config, const lffn_tensor* tensors,
                                                    int64_t n_tensors, const lffn_load_options* options,
                                                    lffn_layer** out);

/** Writes the layer to a file, in the element types it holds in memory, so that loading it again gives the same bits.
 * The file appears whole or not at all: an old file of that name stays until the new one is on disk.
 * @param layer   the layer
 * @param path    UTF-8
 * @param options NULL for the defaults */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_save(const lffn_layer* layer, const char* path,
                                                  const lffn_save_options* options);

/** Runs the layer: y = LookupFFN(x). A short form of lffn_layer_run.
 * @param layer    the layer
 * @param x        [n_tokens, hidden_size] floats
 * @param n_tokens any number from 0; with 0, x and y may be NULL
 * @param y        [n_tokens, output_size] floats; may be x itself if the sizes are equal, otherwise must not overlap x
 *
 * A token's result is the same to the bit whatever its batch, the number of threads and the instruction set (among
 * those with fused multiply-add). Tokens with NaN or infinite values spoil only their own outputs. */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_forward(const lffn_layer* layer, const float* x, int64_t n_tokens,
                                                     float* y);

/** Flags of lffn_layer_run_args. */
enum {
  LFFN_LAYER_RUN_ADD = 1u << 0 /**< y += LookupFFN(x), the residual connection. */
};

/** The arguments of lffn_layer_run. Call lffn_layer_run_args_init first. */
typedef struct lffn_layer_run_args {
  size_t struct_size; /**< sizeof(lffn_layer_run_args), set by the _init function. */
  const float* x;     /**< The first input token; may be NULL if n_tokens is 0. */
  int64_t x_stride;   /**< Floats from one input token to the next; 0 = hidden_size. */
  float* y;           /**< The first output token; may be NULL if n_tokens is 0. */
  int64_t y_stride;   /**< Floats from one output token to the next; 0 = output_size. */
  int64_t n_tokens;   /**< Any number from 0. */
  uint32_t flags;     /**< LFFN_LAYER_RUN_ values or-ed together. Default 0. */
  uint32_t reserved;  /**< 0. */
  /** NULL, or a number that another thread may set to non-zero while the call runs. The call then ends soon with
   * LFFN_ERROR_CANCELLED; by then any of y's tokens may have been written, wholly or in part, and nothing else. */
  const int32_t* cancel;
} lffn_layer_run_args;

/** What lffn_layer_run_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_layer_run_args) */
LFFN_API void lffn_layer_run_args_init_sized(lffn_layer_run_args* args, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_layer_run_args_init(args) lffn_layer_run_args_init_sized((args), sizeof *(args))

/** Runs the layer with strides, a residual or cancellation. x and y may be the same array with the same stride;
 * otherwise they must not overlap, from the first float to the last, including the gaps between rows.
 * @param layer the layer
 * @param args  see lffn_layer_run_args */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_run(const lffn_layer* layer, const lffn_layer_run_args* args);

/** Only hashes: which rows a forward would add, with which weights. A short form of lffn_layer_run_hash.
 * @param layer    the layer
 * @param x        [n_tokens, hidden_size] floats
 * @param n_tokens any number from 0; with 0, x may be NULL
 * @param codes    receives [n_tokens, num_tables, num_probes]; may be NULL
 * @param scores   receives as many weights; may be NULL */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_hash(const lffn_layer* layer, const float* x, int64_t n_tokens,
                                                  int32_t* codes, float* scores);

/** The arguments of lffn_layer_run_hash. Call lffn_layer_run_hash_args_init first. */
typedef struct lffn_layer_run_hash_args {
  size_t struct_size;    /**< sizeof(lffn_layer_run_hash_args), set by the _init function. */
  const float* x;        /**< The first token; may be NULL if n_tokens is 0. */
  int64_t x_stride;      /**< Floats from one token to the next; 0 = hidden_size. */
  int64_t n_tokens;      /**< Any number from 0. */
  int32_t* codes;        /**< Receives [n_tokens, num_tables, num_probes]; may be NULL. */
  float* scores;         /**< Receives as many weights; may be NULL. */
  const int32_t* cancel; /**< NULL, or a number that ends the call once it is not zero, see lffn_cancel. */
  lffn_run_progress_callback progress; /**< NULL, or receives the number of hashed tokens. */
  void* progress_user;                 /**< Passed to it. */
} lffn_layer_run_hash_args;

/** What lffn_layer_run_hash_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_layer_run_hash_args) */
LFFN_API void lffn_layer_run_hash_args_init_sized(lffn_layer_run_hash_args* args, size_t struct_size);
/** Fills in the defaults, all zero. NULL is ignored. */
#define lffn_layer_run_hash_args_init(args) lffn_layer_run_hash_args_init_sized((args), sizeof *(args))

/** Only hashes, with strides, cancellation and progress.
 * @param layer the layer
 * @param args  see lffn_layer_run_hash_args */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_run_hash(const lffn_layer* layer, const lffn_layer_run_hash_args* args);

/** Describes the layer.
 * @param layer the layer
 * @param info  receives it; its struct_size must be set, see lffn_layer_info_init */
LFFN_API LFFN_CHECKED lffn_status lffn_layer_get_info(const lffn_layer* layer, lffn_layer_info* info);

/** Makes the caller another owner of the layer, see lffn_model_retain.
 * @param layer NULL is ignored
 * @return layer */
LFFN_API lffn_layer* lffn_layer_retain(lffn_layer* layer);

/** Gives up the caller's ownership of the layer; the last owner's call frees it, see lffn_model_free.
 * @param layer NULL is ignored */
LFFN_API void lffn_layer_free(lffn_layer* layer);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_LAYER_H */
