/* late.h - late interaction: queries and documents as several vectors each. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_LATE_H
#define LOOKUPFFN_LATE_H

#include "lookupffn/base.h"
#include "lookupffn/model.h"
#include "lookupffn/output.h"
#include "lookupffn/result.h"
#include "lookupffn/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup late Late interaction
 * A model whose lffn_model_heads.is_late is 1 makes several vectors of a text: LFFN_OUT_TOKEN_VECTORS with
 * LFFN_PROMPT_QUERY or LFFN_PROMPT_DOCUMENT returns them. To score a document for a query, each vector of the query
 * looks for the most similar vector of the document, and these dot products are added up.
 *
 *     args.prompt_kind = LFFN_PROMPT_DOCUMENT;
 *     const lffn_output wanted[] = {
 *         {LFFN_OUT_INT8_TOKEN_VECTORS, 0, NULL, 0},
 *         {LFFN_OUT_TOKEN_VECTOR_SCALES, 0, NULL, 0},
 *         {LFFN_OUT_VECTOR_OFFSETS, 0, NULL, 0},
 *     };
 *     args.outputs = wanted;
 *     args.n_outputs = 3;
 *     args.result = result;
 *     lffn_array vectors, scales, offsets;
 *     if (lffn_model_run(model, &args) != LFFN_OK ||
 *         lffn_result_array(result, LFFN_OUT_INT8_TOKEN_VECTORS, &vectors) != LFFN_OK || ...
 *     lffn_max_sim_args pairs;
 *     lffn_max_sim_args_init(&pairs);
 *     pairs.size = vectors.columns;
 *     pairs.int8_documents = vectors.data;
 *     pairs.document_scales = scales.data;
 *     pairs.document_offsets = offsets.data;
 *     pairs.n_documents = offsets.rows - 1;
 * @{ */

/** Flags of lffn_max_sim_args. */
enum {
  LFFN_MAX_SIM_MEAN = 1u << 0 /**< The mean over a query's vectors instead of their sum. */
};

/** The arguments of lffn_max_sim. Call lffn_max_sim_args_init first.
 *
 * The vectors of queries and of documents are each given as floats, or as bytes with a scale for each vector. Query q
 * has the vectors from query_offsets[q] up to, not including, query_offsets[q + 1]. The first offset need not be 0, so
 * a pointer into the offsets of many documents selects a part of them. */
typedef struct lffn_max_sim_args {
  size_t struct_size;              /**< sizeof(lffn_max_sim_args), set by the _init function. */
  const lffn_runtime* runtime;     /**< NULL: the process's threads, memory and instruction set. */
  const float* queries;            /**< [query_offsets[n_queries], size], or NULL. */
  const int8_t* int8_queries;      /**< Likewise; a number is this times its vector's scale. Set one of the two. */
  const float* query_scales;       /**< [query_offsets[n_queries]] for int8_queries; 0 or more. */
  const int64_t* query_offsets;    /**< [n_queries + 1] where each query's vectors begin. */
  int64_t n_queries;               /**< How many, any number from 0. */
  const float* documents;          /**< Like queries. */
  const int8_t* int8_documents;    /**< Likewise. */
  const float* document_scales;    /**< Likewise. */
  const int64_t* document_offsets; /**< [n_documents + 1] */
  int64_t n_documents;             /**< How many, any number from 0. */
  int32_t size;                    /**< Numbers of each vector, 1 to 65536. */
  uint32_t flags;                  /**< LFFN_MAX_SIM_ values or-ed together: lffn_model_heads.max_sim_flags. */
  int32_t num_threads;             /**< Most threads to use; 0: as many as the environment or the runtime allows. */
  int32_t reserved;                /**< 0. */
  const lffn_output* outputs;      /**< [n_outputs] LFFN_OUT_MAX_SIM_SCORES. */
  int64_t n_outputs;               /**< How many. */
  lffn_result* result;             /**< NULL, or what keeps the scores. */
  const int32_t* cancel;           /**< NULL, or a number that another thread may set to non-zero to end the call. */
} lffn_max_sim_args;

/** What lffn_max_sim_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_max_sim_args) */
LFFN_API void lffn_max_sim_args_init_sized(lffn_max_sim_args* args, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_max_sim_args_init(args) lffn_max_sim_args_init_sized((args), sizeof *(args))

/** Scores each document for each query. A query or a document without vectors has the score 0; NaN in a query or a
 * document makes its scores NaN. A score is the same to the bit whatever the other pairs, for any number of threads and
 * on each instruction set with fused multiply-add.
 * @param args see lffn_max_sim_args */
LFFN_API LFFN_CHECKED lffn_status lffn_max_sim(const lffn_max_sim_args* args);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_LATE_H */
