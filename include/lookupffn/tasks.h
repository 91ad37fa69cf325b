/* tasks.h - answers to questions, labels that a model never learned, documents in order. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_TASKS_H
#define LOOKUPFFN_TASKS_H

#include "lookupffn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tasks Answers, labels and documents
 * Short forms over texts, computed like transformers' pipelines. Entities are among the outputs of lffn_model_run, see
 * LFFN_OUT_ENTITY_BEGINS.
 *
 *     lffn_model_answer_args args;
 *     lffn_model_answer_args_init(&args);
 *     args.question = "Who wrote it?";
 *     args.context = context;
 *     const lffn_output outputs[] = {
 *         {LFFN_OUT_ANSWER_BEGINS, 0, &begin, 1},
 *         {LFFN_OUT_ANSWER_ENDS, 0, &end, 1},
 *         {LFFN_OUT_ANSWER_OFFSETS, 0, offsets, 2},
 *     };
 *     args.outputs = outputs;
 *     args.n_outputs = 3;
 *     if (lffn_model_answer(model, &args) == LFFN_OK && offsets[1] > 0)
 *         printf("%.*s\n", (int)(end - begin), context + begin);
 * @{ */

/** Flags of lffn_model_answer_args. */
enum {
  LFFN_ANSWER_MAY_BE_NONE = 1u << 0 /**< "No answer" counts as an answer, with begin 0 and end 0. */
};

/** The arguments of lffn_model_answer. Call lffn_model_answer_args_init first.
 *
 * A context that is too long is read in windows. Each has the question, special tokens and a part of the context, and
 * shares `stride` tokens of the context with the previous window. An answer is a run of tokens of one window, widened
 * to whole words. Its score is the probability that it begins with its first token times the probability that it ends
 * with its last one. Answers with the same words, ignoring case, are one, and their scores are added. */
typedef struct lffn_model_answer_args {
  size_t struct_size;   /**< sizeof(lffn_model_answer_args), set by the _init function. */
  const char* question; /**< The question, UTF-8. */
  size_t question_size; /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  const char* context;  /**< The text that contains the answer, UTF-8. */
  size_t context_size;  /**< Its bytes. Default SIZE_MAX. */
  /** Tokens of a window, including special ones: a number; LFFN_MAX_TOKENS_NEVER for one window of any length;
   * LFFN_MAX_TOKENS_MODEL, the default, for the model's own length, at most 384. */
  int64_t max_tokens;
  int64_t stride;            /**< Tokens of the context that a window repeats; default LFFN_STRIDE_DEFAULT. */
  int32_t max_answer_tokens; /**< Most tokens of an answer, before it is widened; default 15. */
  int32_t top_k;             /**< Most answers to return; default 1. */
  int32_t reserved;          /**< 0. */
  uint32_t flags;            /**< LFFN_ANSWER_ values or-ed together. */
  /** [n_outputs] of LFFN_OUT_ANSWER_. Memory of the caller must have room for top_k answers; there may be fewer. */
  const lffn_output* outputs;
  int64_t n_outputs;     /**< How many. */
  lffn_result* result;   /**< NULL, or what keeps the outputs that go to no memory of the caller. */
  const int32_t* cancel; /**< NULL, or a number that another thread may set to non-zero to end the call. */
} lffn_model_answer_args;

/** What lffn_model_answer_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_answer_args) */
LFFN_API void lffn_model_answer_args_init_sized(lffn_model_answer_args* args, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_model_answer_args_init(args) lffn_model_answer_args_init_sized((args), sizeof *(args))

/** Finds the parts of a context that answer a question.
 * @param model one whose token_head is LFFN_TOKEN_HEAD_ANSWERS
 * @param args  see lffn_model_answer_args */
LFFN_API LFFN_CHECKED lffn_status lffn_model_answer(const lffn_model* model, const lffn_model_answer_args* args);

/** Flags of lffn_model_zero_shot_args. */
enum {
  LFFN_ZERO_SHOT_MULTI_LABEL = 1u << 0 /**< Any number of labels may fit: each has its own probability. */
};

/** The arguments of lffn_model_zero_shot. Call lffn_model_zero_shot_args_init first. */
typedef struct lffn_model_zero_shot_args {
  size_t struct_size;         /**< sizeof(lffn_model_zero_shot_args), set by the _init function. */
  const char* text;           /**< The text, UTF-8. */
  size_t text_size;           /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  const char* const* labels;  /**< [n_labels] labels, UTF-8. */
  const size_t* label_sizes;  /**< [n_labels] their bytes, or SIZE_MAX likewise; NULL: SIZE_MAX for all. */
  int64_t n_labels;           /**< How many. */
  const char* hypothesis;     /**< A sentence with {} in place of the label; NULL, the default: "This example is {}." */
  size_t hypothesis_size;     /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  int64_t max_tokens;         /**< Cut the text, not the label, to this many tokens for both; or LFFN_MAX_TOKENS_. */
  uint32_t flags;             /**< LFFN_ZERO_SHOT_ values or-ed together. */
  uint32_t reserved;          /**< 0. */
  const lffn_output* outputs; /**< [n_outputs] of LFFN_OUT_LABEL_. */
  int64_t n_outputs;          /**< How many. */
  lffn_result* result;        /**< NULL, or what keeps the outputs that go to no memory of the caller. */
  const int32_t* cancel;      /**< NULL, or a number that another thread may set to non-zero to end the call. */
} lffn_model_zero_shot_args;

/** What lffn_model_zero_shot_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_zero_shot_args) */
LFFN_API void lffn_model_zero_shot_args_init_sized(lffn_model_zero_shot_args* args, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_model_zero_shot_args_init(args) lffn_model_zero_shot_args_init_sized((args), sizeof *(args))

/** Scores how likely each label fits a text: how likely the text entails the hypothesis with that label.
 * @param model a classifier of pairs with a class whose name begins with "entail"; the first class contradicts, or the
 * last one if the first one entails
 * @param args  see lffn_model_zero_shot_args */
LFFN_API LFFN_CHECKED lffn_status lffn_model_zero_shot(const lffn_model* model, const lffn_model_zero_shot_args* args);

/** The arguments of lffn_model_rerank. Call lffn_model_rerank_args_init first. */
typedef struct lffn_model_rerank_args {
  size_t struct_size;           /**< sizeof(lffn_model_rerank_args), set by the _init function. */
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
  const lffn_output* outputs;   /**< [n_outputs] of LFFN_OUT_DOCUMENT_. */
  int64_t n_outputs;            /**< How many. */
  lffn_result* result;          /**< NULL, or what keeps the outputs that go to no memory of the caller. */
  const int32_t* cancel;        /**< NULL, or a number that another thread may set to non-zero to end the call. */
} lffn_model_rerank_args;

/** What lffn_model_rerank_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_rerank_args) */
LFFN_API void lffn_model_rerank_args_init_sized(lffn_model_rerank_args* args, size_t struct_size);
/** Fills in the defaults: all zero except query_size. NULL is ignored. */
#define lffn_model_rerank_args_init(args) lffn_model_rerank_args_init_sized((args), sizeof *(args))

/** Scores documents for a query: by the class score of each pair, or with a late-interaction model by lffn_max_sim.
 * Documents go through the model a few at a time, so memory does not grow with their number.
 * @param model a model with one class, or one whose lffn_model_heads.is_late is 1
 * @param args  see lffn_model_rerank_args */
LFFN_API LFFN_CHECKED lffn_status lffn_model_rerank(const lffn_model* model, const lffn_model_rerank_args* args);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_TASKS_H */
