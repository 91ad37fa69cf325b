/* run.h - run a whole model. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RUN_H
#define LOOKUPFFN_RUN_H

#include "lookupffn/model.h"
#include "lookupffn/output.h"
#include "lookupffn/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup run Running a model
 * Embeddings, class scores, hidden states, logits, fillings of masks and more, of texts or of token ids.
 *
 *     lffn_model* model = NULL;
 *     if (lffn_model_load("my-model", NULL, &model) != LFFN_OK) ...
 *     const char* texts[2] = {"A man is eating.", "Someone has a meal."};
 *     float embeddings[2 * 384];
 *     lffn_model_embed_texts(model, texts, NULL, 2, LFFN_MAX_TOKENS_MODEL, embeddings, 2 * 384);
 *     lffn_model_free(model);
 *
 * A sequence's results are the same to the bit alone or among others, whatever the number of threads and the
 * instruction set (among those with fused multiply-add).
 * @{ */

/** How texts are read, whichever outputs are asked for. */
enum {
  /** As the model's files say: a sentence encoder strips white space from both ends, lower-cases if its files say so,
   * and adds its default prompt. */
  LFFN_READING_MODEL = 0,
  LFFN_READING_PLAIN = 1 /**< Unchanged, and without the default prompt. */
};

/** The prompt before each text. */
enum {
  LFFN_PROMPT_MODEL = 0, /**< The model's default prompt, if it has one and the reading is LFFN_READING_MODEL. */
  LFFN_PROMPT_NONE = 1,  /**< None. */
  LFFN_PROMPT_NAMED = 2, /**< The model's prompt with the given name. */
  LFFN_PROMPT_TEXT = 3,  /**< The given text. */
  /** The texts are queries. Their prompt is the first that the model has of "query", "search_query", "retrieval_query",
   * "retrieval.query" and "question", ignoring case, otherwise as LFFN_PROMPT_MODEL. */
  LFFN_PROMPT_QUERY = 4,
  /** The texts are documents. Their prompt is the first of "document", "search_document", "retrieval_document",
   * "retrieval.passage", "passage" and "corpus", likewise. */
  LFFN_PROMPT_DOCUMENT = 5
};

/** What happens to texts longer than max_tokens. */
enum {
  LFFN_WINDOWS_NONE = 0, /**< They are cut: each text is one sequence. */
  /** Each is read in windows of max_tokens, which are consecutive sequences. Each window has the special tokens, the
   * prompt and a part of the text; for a pair, the whole first text and a part of the second. */
  LFFN_WINDOWS_EACH = 1,
  /** The same, but with one embedding per text: the mean of its windows', scaled to length 1 if these are. */
  LFFN_WINDOWS_MEAN = 2
};

/** Values of stride, here and in lffn_model_answer_args, besides numbers from 0. */
enum {
  LFFN_STRIDE_DEFAULT = -1 /**< Half of a window's tokens, at most 128. */
};

/** What class scores become. */
enum {
  LFFN_SCORES_RAW = 0,           /**< The model's logits. */
  LFFN_SCORES_PROBABILITIES = 1, /**< Softmax; sigmoid for one class and for models with several labels at once. */
  LFFN_SCORES_MODEL =
      2 /**< lffn_model_heads.score_activation, which a reranker's files name; otherwise sigmoid for one class. */
};

/** The parts of a call's time, rows of LFFN_OUT_STAGE_SECONDS. */
enum {
  LFFN_STAGE_ATTENTION = 0, /**< Attention's scores, softmax and sums. */
  LFFN_STAGE_LINEAR = 1,    /**< Attention's linear layers, with the layer norm before them. */
  LFFN_STAGE_FFN = 2,       /**< Feed-forward layers, with their layer norms. */
  LFFN_STAGE_OTHER = 3,     /**< Embeddings, the last layer norm, heads, and everything else. */
  LFFN_STAGE_TEXT = 4,      /**< Turning texts into tokens. */
  LFFN_NUM_STAGES = 5       /**< How many there are. Version 1 never adds one. */
};

/** How token classes become entities; the same as in transformers' pipeline. B- before a label begins an entity, and I-
 * continues one of the same kind. */
enum {
  LFFN_AGGREGATION_SIMPLE = 0,  /**< Each token by itself, then neighbours of the same kind become one. */
  LFFN_AGGREGATION_NONE = 1,    /**< Each token is an entity. */
  LFFN_AGGREGATION_FIRST = 2,   /**< Words by the class of their first token, then as LFFN_AGGREGATION_SIMPLE. */
  LFFN_AGGREGATION_AVERAGE = 3, /**< Words by the mean of their tokens' probabilities. */
  LFFN_AGGREGATION_MAX = 4      /**< Words by their most certain token. */
};

/** Flags of lffn_model_run_args. */
enum {
  LFFN_RUN_ALL_LOGITS = 1u << 0,  /**< Logits of every token; logit_positions must be NULL. */
  LFFN_RUN_ALL_LABELS = 1u << 1,  /**< Entities with the label O, which are none, are returned, too. */
  LFFN_RUN_REPAIR_TEXT = 1u << 2, /**< Invalid UTF-8 in texts and prompt is read as U+FFFD, not refused. */
  /** The texts are documents: messages begin with "document 3", not with "text 3". In pairs the first text is the query
   * and the second one is a document. */
  LFFN_RUN_DOCUMENTS = 1u << 3
};

/** Values of max_active besides numbers from 1. */
enum {
  LFFN_MAX_ACTIVE_MODEL = 0, /**< As many as the model's files say; all if they say nothing. */
  LFFN_MAX_ACTIVE_ALL = -1   /**< All. */
};

/** The arguments of lffn_model_run: what to read, how to read it, how to make outputs, which outputs go where, and how
 * to run. Call lffn_model_run_args_init first.
 *
 * Inputs: either `n` texts, or `n` sequences of token ids, back to back in one array without padding. Sequence i is
 * ids[offsets[i]] up to, not including, ids[offsets[i + 1]], and offsets[0] is 0. An id is 0 or more and below
 * vocab_size; a sequence has at most max_tokens tokens (see lffn_model_shape). Anything else gives
 * LFFN_ERROR_INVALID_ARGUMENT or LFFN_ERROR_TOO_LONG. So does asking for a head that the model lacks, and setting a
 * member that has no effect beside the others, such as a prompt without a kind, or token types of texts. Where a count
 * is 0, its input arrays may be NULL.
 *
 * A text that is NULL, not UTF-8 or too long has a status of its own: LFFN_ERROR_NULL_TEXT, LFFN_ERROR_BAD_TEXT or
 * LFFN_ERROR_TOO_LONG. If statuses or messages are asked for, it becomes an empty sequence with zeros as results;
 * otherwise the whole call fails.
 *
 * Outputs that are not listed are not computed. If tokens are only counted or returned, no layer runs: this counts
 * texts exactly as an embedding would read them. */
typedef struct lffn_model_run_args {
  size_t struct_size; /**< sizeof(lffn_model_run_args), set by the _init function. */

  int64_t n;                /**< Texts or sequences, any number from 0. */
  const char* const* texts; /**< [n] texts, UTF-8. */
  const size_t* text_sizes; /**< [n] their bytes, or SIZE_MAX for up to the first zero byte; NULL: SIZE_MAX for all. */
  /** NULL, or for each text NULL or the second text of a pair. If consecutive pairs have the same first text, such as a
   * query before its documents, it is tokenized once. */
  const char* const* pairs;
  const size_t* pair_sizes;   /**< [n] likewise. */
  const int32_t* ids;         /**< Instead of texts: token ids, sequence after sequence. */
  const int64_t* offsets;     /**< [n + 1] where each sequence begins, and where the last one ends. */
  const int32_t* token_types; /**< A type for each id, or NULL: all 0. */

  const char* prompt;  /**< For LFFN_PROMPT_NAMED and LFFN_PROMPT_TEXT. */
  size_t prompt_size;  /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  int32_t prompt_kind; /**< LFFN_PROMPT_. Default LFFN_PROMPT_MODEL. */
  int32_t reading;     /**< LFFN_READING_. Default LFFN_READING_MODEL. */
  /** Cut texts to this many tokens, including special ones, never to more than the model can run; of a pair the longer
   * text first; or LFFN_MAX_TOKENS_. Default LFFN_MAX_TOKENS_MODEL. */
  int64_t max_tokens;
  int64_t stride; /**< Tokens of the text that a window repeats from the previous one; or LFFN_STRIDE_DEFAULT. */
  /** LFFN_WINDOWS_. Default LFFN_WINDOWS_NONE. Windows exclude LFFN_MAX_TOKENS_NEVER and entities. */
  int32_t windows;

  int32_t pooling;    /**< LFFN_POOLING_, of embeddings. */
  int32_t normalize;  /**< LFFN_NORMALIZE_, of embeddings and token vectors. */
  int32_t dimensions; /**< Keep this many first numbers of each embedding, then scale; 0: all. */
  int32_t top_k;      /**< Fillings of each mask, 1 to vocab_size. Default 0, which is refused if they are asked for. */
  int32_t aggregation;            /**< LFFN_AGGREGATION_, of entities. */
  int32_t max_active;             /**< Most weights of a sparse vector, the largest are kept; or LFFN_MAX_ACTIVE_. */
  float min_weight;               /**< Weights of a sparse vector are above it; default 0. */
  const int64_t* logit_positions; /**< Indices of tokens whose logits are wanted, in any order. */
  int64_t n_logit_positions;      /**< How many. */

  const lffn_output* outputs; /**< [n_outputs] what to compute, and where it goes. */
  int64_t n_outputs;          /**< How many. */
  lffn_result* result;        /**< NULL, or what keeps the outputs that go to no memory of the caller. */

  uint32_t flags;      /**< LFFN_RUN_ values or-ed together. */
  int32_t num_threads; /**< Most threads to use; 0 = as many as the model has. */
  /** NULL, or a number that another thread may set to non-zero while the call runs, see lffn_cancel. The call then ends
   * soon with LFFN_ERROR_CANCELLED; by then any part of the outputs may have been written, and nothing else. */
  const int32_t* cancel;
  lffn_run_progress_callback progress; /**< NULL, or receives the progress of the call. */
  void* progress_user;                 /**< Passed to it. */
} lffn_model_run_args;

/** What lffn_model_run_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_run_args) */
LFFN_API void lffn_model_run_args_init_sized(lffn_model_run_args* args, size_t struct_size);
/** Fills in the defaults: all zero except prompt_size. NULL is ignored. */
#define lffn_model_run_args_init(args) lffn_model_run_args_init_sized((args), sizeof *(args))

/** Runs the model.
 * @param model as loaded; several threads may run it at once
 * @param args  what to run, and where its results go
 * @return LFFN_OK, or
 *   - LFFN_ERROR_INVALID_ARGUMENT: an argument is NULL, out of range or at odds with another; the model lacks the head,
 *     the tokenizer, the prompt or the kind of pooling; `result` is in use by another call;
 *   - LFFN_ERROR_NULL_TEXT, LFFN_ERROR_BAD_TEXT, LFFN_ERROR_TOO_LONG: for the first such text, unless statuses are
 *     asked for; LFFN_ERROR_TOO_LONG also for a sequence of ids;
 *   - LFFN_ERROR_TOO_SMALL: the caller's memory is too small, see lffn_output;
 *   - LFFN_ERROR_CANCELLED: the cancel flag was set;
 *   - LFFN_ERROR_UNSUPPORTED: `args` asks for something that this version does not know, or the tokenizer's template
 *     cannot read what is asked;
 *   - LFFN_ERROR_OUT_OF_MEMORY, LFFN_ERROR_INTERNAL.
 *
 *   lffn_last_error says more. */
LFFN_API LFFN_CHECKED lffn_status lffn_model_run(const lffn_model* model, const lffn_model_run_args* args);

/** One vector for each text, with the model's own prompt, pooling and scaling. A short form of lffn_model_run.
 * @param model      the model
 * @param texts      [n] texts; may be NULL if n is 0
 * @param sizes      [n] their bytes, or SIZE_MAX for up to the first zero byte; NULL: SIZE_MAX for all
 * @param n          how many, any number from 0
 * @param max_tokens cut texts to this many tokens, or LFFN_MAX_TOKENS_
 * @param embeddings receives [n, embedding_size]; may be NULL if n is 0
 * @param capacity   its room, in floats */
LFFN_API LFFN_CHECKED lffn_status lffn_model_embed_texts(const lffn_model* model, const char* const* texts,
                                                         const size_t* sizes, int64_t n, int64_t max_tokens,
                                                         float* embeddings, int64_t capacity);

/** Turns raw class scores into probabilities, or into what the model's files ask for.
 * @param model  a model with a classifier
 * @param kind   LFFN_SCORES_
 * @param scores [n, num_classes] raw scores
 * @param n      how many texts
 * @param out    receives [n, num_classes]; may be scores itself */
LFFN_API LFFN_CHECKED lffn_status lffn_model_activate_scores(const lffn_model* model, int32_t kind, const float* scores,
                                                             int64_t n, float* out);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_RUN_H */
