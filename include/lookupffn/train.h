/* train.h - forward and backward of a layer for training. Experimental: it may change from one version to the next.
 * It belongs to liblookupffn_train, which has all functions of liblookupffn, too: link one of the two.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_TRAIN_H
#define LOOKUPFFN_TRAIN_H

#include "lookupffn/layer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup training Training
 * Forward and backward of a layer whose weights the caller owns and changes between calls, as an optimiser does. The
 * library keeps no copy of them. All numbers are float32, row-major, without gaps.
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

/** What lffn_train_weights_init calls.
 * @param weights     NULL is ignored
 * @param struct_size the caller's sizeof(lffn_train_weights) */
LFFN_API void lffn_train_weights_init_sized(lffn_train_weights* weights, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_train_weights_init(weights) lffn_train_weights_init_sized((weights), sizeof *(weights))

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

/** What lffn_train_gradients_init calls.
 * @param gradients   NULL is ignored
 * @param struct_size the caller's sizeof(lffn_train_gradients) */
LFFN_API void lffn_train_gradients_init_sized(lffn_train_gradients* gradients, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_train_gradients_init(gradients) lffn_train_gradients_init_sized((gradients), sizeof *(gradients))

/** y = LookupFFN(x) with the caller's weights.
 * @param config      the shape; num_probes must be 1 (LFFN_ERROR_UNSUPPORTED otherwise), the seed is not used
 * @param weights     all of them
 * @param x           [n_tokens, hidden_size]
 * @param n_tokens    any number from 0; with 0, x and y may be NULL
 * @param num_threads 0 = as LOOKUPFFN_NUM_THREADS says, else what affinity, cgroup and OMP_NUM_THREADS allow
 * @param y           receives [n_tokens, output_size]; must not overlap x
 * @param z           receives the hash values, [n_tokens, num_tables, code_bits], for lffn_train_backward; may be NULL
 *
 * The results are the same to the bit for any number of threads. They may differ in the last bits from those of
 * lffn_layer_forward, and from one instruction set to another. */
LFFN_API LFFN_CHECKED lffn_status lffn_train_forward(const lffn_layer_config* config, const lffn_train_weights* weights,
                                                     const float* x, int64_t n_tokens, int32_t num_threads, float* y,
                                                     float* z);

/** The gradients of a loss, from its gradient with respect to y. The codes are treated as constant.
 * @param config      as for the forward
 * @param weights     as for the forward
 * @param x           as for the forward
 * @param z           what the forward wrote
 * @param grad_y      [n_tokens, output_size]
 * @param n_tokens    any number from 0; with 0, x, z and grad_y may be NULL
 * @param num_threads 0 = as LOOKUPFFN_NUM_THREADS says, else what affinity, cgroup and OMP_NUM_THREADS allow
 * @param grad_x      receives [n_tokens, hidden_size]; may be NULL
 * @param gradients   receives the gradients of all weights, overwriting earlier contents
 *
 * The results are the same to the bit for any number of threads. */
LFFN_API LFFN_CHECKED lffn_status lffn_train_backward(const lffn_layer_config* config,
                                                      const lffn_train_weights* weights, const float* x, const float* z,
                                                      const float* grad_y, int64_t n_tokens, int32_t num_threads,
                                                      float* grad_x, const lffn_train_gradients* gradients);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_TRAIN_H */
