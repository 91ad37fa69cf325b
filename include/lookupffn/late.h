/* late.h - late interaction: queries and documents as several vectors each. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_LATE_H
#define LOOKUPFFN_LATE_H

#include "lookupffn/base.h"
#include "lookupffn/model.h"
#include "lookupffn/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup late Late interaction
 * A model whose lffn_model_info.is_late is 1 makes several vectors of a text: LFFN_WANT_TOKEN_VECTORS with
 * LFFN_PROMPT_QUERY or LFFN_PROMPT_DOCUMENT returns them. To score a document for a query, each vector of the query
 * looks for the most similar vector of the document, and these dot products are added up.
 *
 *     args.prompt_kind = LFFN_PROMPT_DOCUMENT;
 *     args.wanted = LFFN_WANT_INT8_TOKEN_VECTORS;
 *     if (lffn_model_run(model, &args) == LFFN_OK) lffn_result_get(result, &view);
 *     ...
 *     lffn_max_sim_args pairs;
 *     lffn_max_sim_args_init(&pairs);
 *     pairs.size = view.token_vector_size;
 *     pairs.int8_documents = view.int8_token_vectors;
 *     pairs.document_scales = view.token_vector_scales;
 *     pairs.document_offsets = view.vector_offsets;
 *     pairs.n_documents = view.n;
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
  uint32_t flags;                  /**< LFFN_MAX_SIM_ values or-ed together: lffn_model_info.max_sim_flags. */
  int32_t num_threads;             /**< Most threads to use; 0: as many as the environment or the runtime allows. */
  int32_t reserved;                /**< 0. */
  const int32_t* cancel;           /**< NULL, or a number that another thread may set to non-zero to end the call. */
  float* scores;                   /**< Receives [n_queries, n_documents]. */
  int64_t capacity;                /**< Its room, in floats. */
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

/** The arguments of lffn_model_rerank. Call lffn_rerank_args_init first. */
typedef struct lffn_rerank_args {
  size_t struct_size;           /**< sizeof(lffn_rerank_args), set by the _init function. */
  const char* query;            /**< The query, UTF-8. */
  size_t query_size;            /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  const char* const* documents; /**< [n_documents] documents, UTF-8. */
  const size_t* document_sizes; /**< [n_documents] their bytes, or SIZE_MAX likewise; NULL: SIZE_MAX for all. */
  int64_t n_documents;          /**< How many, any number from 0. */
  int64_t max_tokens;           /**< As in lffn_model_run_args; for documents, with a late-interaction model. */
  int32_t scores_kind;          /**< LFFN_SCORES_ of a classifier's scores; not read with a late-interaction model. */
  int32_t num_threads;          /**< Most threads to use; 0: as many as the model has. */
  uint32_t flags;               /**< LFFN_RUN_REPAIR_TEXT or 0. */
  uint32_t reserved;            /**< 0. */
  const int32_t* cancel;        /**< NULL, or a number that another thread may set to non-zero to end the call. */
  float* scores;                /**< Receives [n_documents] how well each answers the query, or NULL. */
  int64_t* order;               /**< Receives [n_documents] indices of documents, the best first, or NULL. */
} lffn_rerank_args;

/** What lffn_rerank_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_rerank_args) */
LFFN_API void lffn_rerank_args_init_sized(lffn_rerank_args* args, size_t struct_size);
/** Fills in the defaults: all zero except query_size. NULL is ignored. */
#define lffn_rerank_args_init(args) lffn_rerank_args_init_sized((args), sizeof *(args))

/** Scores documents for a query: by the class score of each pair, or with a late-interaction model by lffn_max_sim.
 * Documents go through the model a few at a time, so memory does not grow with their number.
 * @param model a model with one class, or one whose lffn_model_info.is_late is 1
 * @param args  see lffn_rerank_args */
LFFN_API LFFN_CHECKED lffn_status lffn_model_rerank(const lffn_model* model, const lffn_rerank_args* args);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_LATE_H */
