/* run.h - run a whole model. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RUN_H
#define LOOKUPFFN_RUN_H

#include "lookupffn/model.h"
#include "lookupffn/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup run Running a model
 * Embeddings, class scores, hidden states, logits and fillings of masks, of texts or of token ids.
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

/** Values of stride, here and in lffn_answer_args, besides numbers from 0. */
enum {
  LFFN_STRIDE_DEFAULT = -1 /**< Half of a window's tokens, at most 128. */
};

/** What class scores become. */
enum {
  LFFN_SCORES_RAW = 0,           /**< The model's logits. */
  LFFN_SCORES_PROBABILITIES = 1, /**< Softmax; sigmoid for one class and for models with several labels at once. */
  LFFN_SCORES_MODEL =
      2 /**< lffn_model_info.score_activation, which a reranker's files name; otherwise sigmoid for one class. */
};

/** The parts of a call's time, indices of lffn_model_run_args.seconds. */
enum {
  LFFN_STAGE_ATTENTION = 0, /**< Attention's scores, softmax and sums. */
  LFFN_STAGE_LINEAR = 1,    /**< Attention's linear layers, with the layer norm before them. */
  LFFN_STAGE_FFN = 2,       /**< Feed-forward layers, with their layer norms. */
  LFFN_STAGE_OTHER = 3,     /**< Embeddings, the last layer norm, heads, and everything else. */
  LFFN_STAGE_TEXT = 4,      /**< Turning texts into tokens. */
  LFFN_NUM_STAGES = 5
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
  LFFN_RUN_ALL_POSITIONS = 1u << 0, /**< logits are computed for every token; positions are not read. */
  LFFN_RUN_ALL_LABELS = 1u << 1,    /**< Entities with the label O, which are none, are returned, too. */
  LFFN_RUN_REPAIR_TEXT = 1u << 2,   /**< Invalid UTF-8 in texts and prompt is read as U+FFFD, not refused. */
  /** The texts are documents, and messages call them so: "document 3: ...". In pairs the first text is the query, the
   * second one a document. */
  LFFN_RUN_DOCUMENTS = 1u << 3
};

/** What an lffn_result receives: the values of lffn_model_run_args.wanted, or-ed together. */
enum {
  LFFN_WANT_IDS = 1u << 0,          /**< The token ids that were run. */
  LFFN_WANT_HIDDEN = 1u << 1,       /**< The hidden states. */
  LFFN_WANT_EMBEDDINGS = 1u << 2,   /**< One vector for each sequence. */
  LFFN_WANT_LOGITS = 1u << 3,       /**< The language model head's logits. */
  LFFN_WANT_CLASS_SCORES = 1u << 4, /**< The classifier's scores. */
  LFFN_WANT_FILLINGS = 1u << 5,     /**< The most likely tokens in place of each mask. */
  LFFN_WANT_STATUSES = 1u << 6,     /**< Status and message of each text; a bad text then does not fail the call. */
  LFFN_WANT_TOKEN_SCORES = 1u << 7, /**< The scores of each token. */
  LFFN_WANT_ENTITIES = 1u << 8,     /**< Names, places and the like; the texts must have neither prompt nor pair. */
  /** How many tokens each text would have without cutting. Otherwise long texts may be read no further than they are
   * run. */
  LFFN_WANT_UNCUT = 1u << 9,
  LFFN_WANT_SPANS = 1u << 10, /**< Which bytes of the texts tokens and sequences stand for. */
  /** Vectors of tokens, as late interaction compares them. With a late-interaction model they differ for queries and
   * documents: see LFFN_PROMPT_QUERY and LFFN_PROMPT_DOCUMENT; without either, each token of the plain text has one. */
  LFFN_WANT_TOKEN_VECTORS = 1u << 11,
  LFFN_WANT_INT8_EMBEDDINGS = 1u << 12,   /**< Embeddings as bytes, each with a scale. */
  LFFN_WANT_BIT_EMBEDDINGS = 1u << 13,    /**< Embeddings as bits. */
  LFFN_WANT_SPARSE = 1u << 14,            /**< A sparse vector for each sequence: ids and their weights. */
  LFFN_WANT_INT8_TOKEN_VECTORS = 1u << 15 /**< Token vectors as bytes, each with a scale. */
};

/** Values of max_active besides numbers from 1. */
enum {
  LFFN_MAX_ACTIVE_MODEL = 0, /**< As many as the model's files say; all if they say nothing. */
  LFFN_MAX_ACTIVE_ALL = -1   /**< All. */
};

/** The arguments of lffn_model_run. Call lffn_model_run_args_init first.
 *
 * Inputs: either `n` sequences of token ids, back to back in one array without padding, or `n` texts. Sequence i is
 * ids[offsets[i]] up to, not including, ids[offsets[i + 1]], and offsets[0] is 0. An id is 0 or more and below
 * vocab_size; a sequence has at most max_tokens tokens (see lffn_model_info). Anything else gives
 * LFFN_ERROR_INVALID_ARGUMENT or LFFN_ERROR_TOO_LONG. So does asking for a head that the model lacks, and setting a
 * member that has no effect beside the others, such as a prompt without a kind, or token types of texts. Where a count
 * is 0, its input arrays may be NULL.
 *
 * A text that is NULL, not UTF-8 or too long has a status of its own: LFFN_ERROR_NULL_TEXT, LFFN_ERROR_BAD_TEXT or
 * LFFN_ERROR_TOO_LONG. If statuses are asked for, it becomes an empty sequence with zeros as results; otherwise the
 * whole call fails.
 *
 * Outputs: either everything `wanted` in a `result`, or the arrays that the caller provides; outputs that stay NULL are
 * not computed. A call uses one of these ways, except for `seconds`. If tokens are only counted or returned, no layer
 * runs: this counts texts exactly as an embedding would read them. The caller's arrays have a capacity, in numbers. If
 * one is too small, the call returns LFFN_ERROR_TOO_SMALL and computes nothing, but it writes `offsets_out`, `uncut`,
 * `n_masks` and `statuses`, from which the needed size follows. */
typedef struct lffn_model_run_args {
  size_t struct_size;         /**< sizeof(lffn_model_run_args), set by the _init function. */
  int64_t n;                  /**< Sequences or texts, any number from 0. */
  const int32_t* ids;         /**< Token ids, sequence after sequence. */
  const int64_t* offsets;     /**< [n + 1] where each sequence begins, and where the last one ends. */
  const int32_t* token_types; /**< A type for each id, or NULL: all 0. */
  const char* const* texts;   /**< Instead of ids: [n] texts, UTF-8. */
  const size_t* text_sizes; /**< [n] their bytes, or SIZE_MAX for up to the first zero byte; NULL: SIZE_MAX for all. */
  /** NULL, or for each text NULL or the second text of a pair. If consecutive pairs have the same first text, such as a
   * query before its documents, it is tokenized once. */
  const char* const* pairs;
  const size_t* pair_sizes; /**< [n] likewise. */
  const char* prompt;       /**< For LFFN_PROMPT_NAMED and LFFN_PROMPT_TEXT. */
  size_t prompt_size;       /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  /** Cut texts to this many tokens, including special ones, never to more than the model can run; of a pair the longer
   * text first; or LFFN_MAX_TOKENS_. Default LFFN_MAX_TOKENS_MODEL. */
  int64_t max_tokens;
  int32_t reading;     /**< LFFN_READING_. Default LFFN_READING_MODEL. */
  int32_t prompt_kind; /**< LFFN_PROMPT_. Default LFFN_PROMPT_MODEL. */
  int32_t pooling;     /**< LFFN_POOLING_. */
  int32_t normalize;   /**< LFFN_NORMALIZE_. */
  /** Tokens to return for each mask, 1 to vocab_size. Default 0, which is refused if fillings are wanted. */
  int32_t top_k;
  int32_t num_threads;      /**< Most threads to use; 0 = as many as the model has. */
  uint32_t flags;           /**< LFFN_RUN_ values or-ed together. */
  uint32_t wanted;          /**< LFFN_WANT_ values or-ed together: what `result` receives. */
  const int64_t* positions; /**< Indices in ids whose logits are wanted, in any order. */
  int64_t n_positions;      /**< How many. */
  /** NULL, or a number that another thread may set to non-zero while the call runs, see lffn_cancel. The call then ends
   * soon with LFFN_ERROR_CANCELLED; by then any part of the outputs may have been written, and nothing else. */
  const int32_t* cancel;
  lffn_result* result;           /**< NULL, or what receives everything that is wanted. */
  float* hidden;                 /**< Receives the hidden states, [tokens, hidden_size]. */
  int64_t hidden_capacity;       /**< Its room, in floats. */
  float* embeddings;             /**< Receives [n, embedding_size]; zeros for a text whose status is not LFFN_OK. */
  int64_t embeddings_capacity;   /**< Its room, in floats. */
  float* logits;                 /**< Receives [n_positions, vocab_size]. */
  int64_t logits_capacity;       /**< Its room, in floats. */
  float* class_scores;           /**< Receives the raw scores, [n, num_classes]. */
  int64_t class_scores_capacity; /**< Its room, in floats. */
  int32_t* filling_ids;          /**< Receives [masks, top_k], the most likely token of each mask first. */
  float* filling_probabilities;  /**< Receives [masks, top_k]. */
  int64_t fillings_capacity;     /**< Room in each of the two, in tokens. */
  int64_t* offsets_out;          /**< Receives [n + 1] where each text's tokens begin. */
  int64_t* uncut;                /**< Receives [n] how many tokens each text would have without cutting. */
  int64_t* n_masks;              /**< Receives the number of masks in all texts together. */
  /** Receives [n] LFFN_OK, or why this text could not be run. A result has messages, too. */
  lffn_status* statuses;
  /** Receives [LFFN_NUM_STAGES] how long each stage took, on all threads together. Later stages would get another
   * member: this one keeps its length. */
  double* seconds;
  float* token_scores;           /**< Receives the raw scores of each token, [tokens, num_token_classes]. */
  int64_t token_scores_capacity; /**< Its room, in floats. */
  /** Receives [num_layers, 2] how long each layer took, on all threads together: its attention, with the linear layers
   * and the layer norm before it, and its feed-forward block, with its layer norm. */
  double* layer_seconds;
  int32_t aggregation; /**< LFFN_AGGREGATION_, for entities. */
  /** LFFN_WINDOWS_. Default LFFN_WINDOWS_NONE. The number of windows is not known beforehand, so outputs per window
   * need a `result`. Windows exclude LFFN_MAX_TOKENS_NEVER and entities. */
  int32_t windows;
  int64_t stride;     /**< Tokens of the text that a window repeats from the previous one; or LFFN_STRIDE_DEFAULT. */
  int32_t dimensions; /**< Keep this many first numbers of each embedding, then scale; 0: all. */
  int32_t reserved;   /**< 0. */
  lffn_run_progress progress; /**< NULL, or receives the progress of the call. */
  void* progress_user;        /**< Passed to it. */
  int32_t max_active;         /**< Most weights of a sparse vector, the largest are kept; or LFFN_MAX_ACTIVE_. */
  float min_weight;           /**< Weights of a sparse vector are above it; default 0. */
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
 *     wanted; LFFN_ERROR_TOO_LONG also for a sequence of ids;
 *   - LFFN_ERROR_TOO_SMALL: an array is too small, see lffn_model_run_args;
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
 * @param out        receives [n, embedding_size]; may be NULL if n is 0
 * @param capacity   its room, in floats */
LFFN_API LFFN_CHECKED lffn_status lffn_model_embed_texts(const lffn_model* model, const char* const* texts,
                                                         const size_t* sizes, int64_t n, int64_t max_tokens, float* out,
                                                         int64_t capacity);

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
