/* search.h - the nearest of many vectors, found by comparing all of them. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_SEARCH_H
#define LOOKUPFFN_SEARCH_H

#include "lookupffn/base.h"
#include "lookupffn/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup search Search
 * The k nearest of a block of vectors for each query. Every vector is compared, so nothing is missed, and there is no
 * index to build: the vectors may lie in memory, in a file that is mapped, or come block after block.
 *
 *     lffn_top_k_args args;
 *     lffn_top_k_args_init(&args);
 *     args.kind = LFFN_VECTORS_F32;
 *     args.size = 384;
 *     args.queries = query;
 *     args.n_queries = 1;
 *     args.vectors = vectors;
 *     args.n_vectors = 1000000;
 *     args.k = 10;
 *     args.ids = ids;
 *     args.scores = scores;
 *     args.capacity = 10;
 *     if (lffn_top_k(&args) != LFFN_OK) ...
 *
 * Block after block: the counts, ids and scores of one block are the start of the next one's call.
 *
 *     for (block = 0; block < n_blocks; ++block) {
 *         args.vectors = ...; args.n_vectors = ...; args.first_id = ...;
 *         if (lffn_top_k(&args) != LFFN_OK) ...
 *         args.start_counts = counts; args.start_ids = ids; args.start_scores = scores;
 *     }
 *
 * In two stages: a call with bits and LFFN_MEASURE_HAMMING finds a thousand vectors for each query. They are the
 * candidates of a second call, with the same vectors as int8 or float32, which puts them in order.
 * @{ */

/** How the numbers of queries and vectors lie. The values are those of the element types of embeddings. */
enum {
  LFFN_VECTORS_F32 = 1,  /**< float32. */
  LFFN_VECTORS_INT8 = 3, /**< int8, from -128 to 127; a number is this times its vector's scale. */
  /** A bit for each number, the first in the highest bit of its byte. Bits after the last number do not count. */
  LFFN_VECTORS_BITS = 8
};

/** How near two vectors are. */
enum {
  LFFN_MEASURE_DOT = 0, /**< The dot product; float32 and int8. Of embeddings with length 1 it is the cosine. */
  /** The dot product divided by both lengths, -1 to 1; float32 and int8. 0 if a length is 0. Scales play no part. */
  LFFN_MEASURE_COSINE = 1,
  LFFN_MEASURE_HAMMING = 2 /**< How many bits differ; bits. The fewer, the nearer. */
};

/** The arguments of lffn_top_k. Call lffn_top_k_args_init first: the defaults are all zero. */
typedef struct lffn_top_k_args {
  size_t struct_size;          /**< sizeof(lffn_top_k_args), set by the _init function. */
  const lffn_runtime* runtime; /**< NULL: the process's threads, memory and instruction set. */

  int32_t kind;          /**< LFFN_VECTORS_ of queries and vectors. */
  int32_t measure;       /**< LFFN_MEASURE_: LFFN_MEASURE_HAMMING for bits, and only for them. */
  int64_t size;          /**< Numbers of each query and vector, 1 to 65536. */
  const void* queries;   /**< [n_queries] of the kind; they may begin at any address. */
  int64_t query_stride;  /**< Bytes from one query to the next, at least its own; 0: without gaps. */
  int64_t n_queries;     /**< How many, any number from 0. */
  const void* vectors;   /**< [n_vectors] likewise. */
  int64_t vector_stride; /**< Likewise. */
  int64_t n_vectors;     /**< How many, any number from 0. */

  /** [n_queries] the queries' scales, for int8; NULL: query_scale for all. A scale is any number, and a dot product is
   * multiplied by those of both vectors. */
  const float* query_scales;
  const float* vector_scales; /**< [n_vectors] likewise; NULL: vector_scale for all. */
  float query_scale;          /**< Without query_scales; 0: 1. */
  float vector_scale;         /**< Without vector_scales; 0: 1. */

  const int64_t* vector_ids; /**< [n_vectors] the id of each; NULL: first_id, first_id + 1 and so on. */
  int64_t first_id;          /**< Without vector_ids: the first vector's id. */

  /** [ceil(n_vectors / 8)] NULL, or a bit for each vector, set if it takes part. That of vector i is
   * 1 << (i % 8) in byte i / 8, as Java's BitSet, Arrow and faiss have it. */
  const uint8_t* taking_part;
  /** NULL, or the vectors that take part as numbers from 0 to n_vectors - 1, not ids, in any order. One that stands in
   * a list twice is found twice. With candidate_offsets, it may be NULL if no query has any. */
  const int64_t* candidates;
  /** [n_queries + 1] where each query's candidates begin, if each has its own; NULL: all have the same. */
  const int64_t* candidate_offsets;
  int64_t n_candidates; /**< How many candidates there are, with candidate_offsets at least the last offset. */

  int64_t k; /**< How many to find for each query, at least 1. If fewer take part, these are found. */
  /** [n_queries] NULL, or how many were found in other blocks of vectors, 0 to k: they stay among the best unless
   * vectors of this block are nearer. Measure, queries and k must be the same as there. */
  const int64_t* start_counts;
  const int64_t* start_ids;  /**< [n_queries, k] their ids; this and the two others may be the outputs themselves. */
  const float* start_scores; /**< [n_queries, k] their scores. */

  int64_t* ids;     /**< Receives [n_queries, k] ids, the nearest first; -1 after the last one found. */
  float* scores;    /**< Receives [n_queries, k] their scores; NaN after the last one found. */
  int64_t capacity; /**< The room of ids and of scores, in numbers. */
  int64_t* counts;  /**< Receives [n_queries] how many were found, or NULL. */

  const int32_t* cancel; /**< NULL, or a number that another thread may set to non-zero to end the call. */
  lffn_run_progress_callback
      progress;        /**< NULL, or receives how many pairs of a query and a vector have been compared. */
  void* progress_user; /**< Passed to it. */
  int32_t num_threads; /**< Most threads to use; 0: as many as the environment or the runtime allows. */
  int32_t reserved;    /**< 0. */
} lffn_top_k_args;

/** What lffn_top_k_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_top_k_args) */
LFFN_API void lffn_top_k_args_init_sized(lffn_top_k_args* args, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_top_k_args_init(args) lffn_top_k_args_init_sized((args), sizeof *(args))

/** Finds the k nearest vectors for each query, the nearest first. Of equal scores the lower id comes first. A score
 * that is NaN comes after all others.
 *
 * Dot products of int8 are exact until they meet the scales. Dot products and lengths of float32 vectors are
 * computed in float32: a vector whose length is below 1e-15 or above 1e19 may score 0 or NaN. For any number of
 * threads, queries and blocks a score is the same to the bit: of int8 and bits on every instruction set, of float32 on
 * each that has fused multiply-add.
 *
 * The call takes memory for k ids and scores for each query and thread, for at most 256 queries at a time. Arrays of
 * numbers must be aligned as C requires, except queries and vectors. Outputs must overlap neither each other nor what
 * is read, except that they may be the arrays of the start.
 * @param args see lffn_top_k_args */
LFFN_API LFFN_CHECKED lffn_status lffn_top_k(const lffn_top_k_args* args);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_SEARCH_H */
