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

/** How texts are read, whatever is asked for. */
enum {
  /** As the model means it: those of a sentence encoder stripped of white space at their ends, lower-cased if its files
   * say so, its default prompt before each. */
  LFFN_READING_MODEL = 0,
  LFFN_READING_PLAIN = 1 /**< As they are, and without the default prompt. */
};

/** Which prompt is put before each text. */
enum {
  LFFN_PROMPT_MODEL = 0, /**< The model's default one, if it has one and reads as it means to. */
  LFFN_PROMPT_NONE = 1,  /**< None. */
  LFFN_PROMPT_NAMED = 2, /**< The model's prompt of the name that is given. */
  LFFN_PROMPT_TEXT = 3,  /**< The text that is given. */
  /** The texts are queries. Their prompt is the first that the model has of those named "query", "search_query",
   * "retrieval_query", "retrieval.query" and "question", in upper or lower case, else as LFFN_PROMPT_MODEL. */
  LFFN_PROMPT_QUERY = 4,
  /** The texts are documents. Their prompt is the first of "document", "search_document", "retrieval_document",
   * "retrieval.passage", "passage" and "corpus", likewise. */
  LFFN_PROMPT_DOCUMENT = 5
};

/** What becomes of texts that are longer than max_tokens. */
enum {
  LFFN_WINDOWS_NONE = 0, /**< They are cut: each text is one sequence. */
  /** Each is read in windows of max_tokens, which are sequences one after another: the special tokens, the prompt and a
   * part of the text in each, of a pair the first text whole and a part of the second. */
  LFFN_WINDOWS_EACH = 1,
  /** The same, but embeddings are one for each text: the mean of its windows', scaled to length 1 where these are. */
  LFFN_WINDOWS_MEAN = 2
};

/** Values of stride, here and in lffn_answer_args, besides numbers from 0. */
enum {
  LFFN_STRIDE_DEFAULT = -1 /**< Half of a window's tokens, at most 128. */
};

/** What class scores become. */
enum {
  LFFN_SCORES_RAW = 0,           /**< Logits, as the model gives them. */
  LFFN_SCORES_PROBABILITIES = 1, /**< Softmax; sigmoid for one class and for models of several labels at once. */
  LFFN_SCORES_MODEL =
      2 /**< lffn_model_info.score_activation: what a reranker's files name; else sigmoid for one class. */
};

/** What the time of a call goes into, the places in lffn_model_run_args.seconds. */
enum {
  LFFN_STAGE_ATTENTION = 0, /**< Attention's scores, softmax and sums. */
  LFFN_STAGE_LINEAR = 1,    /**< Its linear layers, with the layer norm before them. */
  LFFN_STAGE_FFN = 2,       /**< Feed-forward layers, with theirs. */
  LFFN_STAGE_OTHER = 3,     /**< Embeddings, the last layer norm, heads, and all else. */
  LFFN_STAGE_TEXT = 4,      /**< Turning texts into tokens. */
  LFFN_NUM_STAGES = 5
};

/** How the classes of tokens become entities, as transformers' pipeline of that name joins them. B- before a label
 * begins an entity, and I- goes on with one of the same kind. */
enum {
  LFFN_AGGREGATION_SIMPLE = 0,  /**< Each token by itself, then neighbours of the same kind are one. */
  LFFN_AGGREGATION_NONE = 1,    /**< Each token is an entity. */
  LFFN_AGGREGATION_FIRST = 2,   /**< Words by the class of their first token, then as LFFN_AGGREGATION_SIMPLE. */
  LFFN_AGGREGATION_AVERAGE = 3, /**< Words by the mean of their tokens' probabilities. */
  LFFN_AGGREGATION_MAX = 4      /**< Words by their token that is surest. */
};

/** Flags of lffn_model_run_args. */
enum {
  LFFN_RUN_ALL_POSITIONS = 1u << 0, /**< logits are wanted of every token; positions are not read. */
  LFFN_RUN_ALL_LABELS = 1u << 1,    /**< Entities of the label O, which are none, are wanted, too. */
  LFFN_RUN_REPAIR_TEXT = 1u << 2,   /**< What of texts and prompt is not UTF-8 is read as U+FFFD, not refused. */
  /** The texts are documents, and so messages call them: "document 3: ...". In pairs the first text is the query, the
   * second one a document. */
  LFFN_RUN_DOCUMENTS = 1u << 3
};

/** What an lffn_result is to receive, the values of lffn_model_run_args.wanted, or-ed together. */
enum {
  LFFN_WANT_IDS = 1u << 0,          /**< The token ids that were run. */
  LFFN_WANT_HIDDEN = 1u << 1,       /**< The hidden states. */
  LFFN_WANT_EMBEDDINGS = 1u << 2,   /**< One vector for each sequence. */
  LFFN_WANT_LOGITS = 1u << 3,       /**< The language model head's logits. */
  LFFN_WANT_CLASS_SCORES = 1u << 4, /**< The classifier's scores. */
  LFFN_WANT_FILLINGS = 1u << 5,     /**< The most likely tokens in place of each mask. */
  LFFN_WANT_STATUSES = 1u << 6,     /**< Status and message of each text: one that cannot be run fails no call. */
  LFFN_WANT_TOKEN_SCORES = 1u << 7, /**< The scores of each token. */
  LFFN_WANT_ENTITIES = 1u << 8,     /**< Names, places and the like in texts, which have neither prompt nor pair. */
  /** How many tokens each text would have without cutting. Otherwise no more of a long text may be read than is run. */
  LFFN_WANT_UNCUT = 1u << 9,
  LFFN_WANT_SPANS = 1u << 10, /**< Which bytes of the texts tokens and sequences stand for. */
  /** Vectors of tokens, as late interaction compares them. Of a late model those of queries and of documents differ:
   * see LFFN_PROMPT_QUERY and LFFN_PROMPT_DOCUMENT; without either there is one for each token of the text as it is. */
  LFFN_WANT_TOKEN_VECTORS = 1u << 11,
  LFFN_WANT_INT8_EMBEDDINGS = 1u << 12,   /**< Embeddings as bytes, each with a scale. */
  LFFN_WANT_BIT_EMBEDDINGS = 1u << 13,    /**< Embeddings as bits. */
  LFFN_WANT_SPARSE = 1u << 14,            /**< A sparse vector for each sequence: ids and their weights. */
  LFFN_WANT_INT8_TOKEN_VECTORS = 1u << 15 /**< Token vectors as bytes, each with a scale. */
};

/** Values of max_active besides numbers from 1. */
enum {
  LFFN_MAX_ACTIVE_MODEL = 0, /**< As many as the model's files say; all, where they say nothing. */
  LFFN_MAX_ACTIVE_ALL = -1   /**< All. */
};

/** The arguments of lffn_model_run. Call lffn_model_run_args_init first.
 *
 * What is run: either `n` sequences of token ids, back to back in one array without padding, or `n` texts. Sequence i
 * is ids[offsets[i]] up to, not including, ids[offsets[i + 1]], and offsets[0] is 0. An id is 0 or more and below
 * vocab_size, a sequence has at most max_tokens tokens (see lffn_model_info). Anything else is
 * LFFN_ERROR_INVALID_ARGUMENT, or LFFN_ERROR_TOO_LONG, and so is asking for a head that the model has not. So are
 * members that mean nothing beside the others, such as a prompt without a kind, or token types of texts.
 *
 * A text that is NULL, not UTF-8 or too long has a status of its own: LFFN_ERROR_NULL_TEXT, LFFN_ERROR_BAD_TEXT or
 * LFFN_ERROR_TOO_LONG. Where statuses are wanted it is an empty sequence, whose results are zeros; else it is the whole
 * call's failure.
 *
 * What comes out: all that is `wanted` into a `result`; or what the caller has memory for, and then outputs that stay
 * NULL are not computed. A call uses one of these ways, but for `seconds`. Where tokens are only counted or shown, no
 * layer runs: this is how texts are counted exactly as an embedding would read them. The caller's memory has a
 * capacity, in numbers; where one is too small, the call is LFFN_ERROR_TOO_SMALL and nothing is computed, but
 * `offsets_out`, `uncut`, `n_masks` and `statuses` are written, from which the size needed follows. */
typedef struct lffn_model_run_args {
  size_t struct_size;         /**< sizeof(lffn_model_run_args), set by the _init function. */
  int64_t n;                  /**< Sequences or texts, any number from 0. */
  const int32_t* ids;         /**< Token ids, sequence after sequence. */
  const int64_t* offsets;     /**< [n + 1] where each sequence begins, and where the last one ends. */
  const int32_t* token_types; /**< A type for each id, or NULL: all 0. */
  const char* const* texts;   /**< Instead of ids: [n] texts, UTF-8. */
  const size_t* text_sizes;   /**< [n] their bytes, SIZE_MAX for up to the first zero byte; NULL: so all of them. */
  /** NULL, or for each text NULL or the second text of a pair. A first text that is the same in several pairs one after
   * another, such as a query before its documents, is tokenised once. */
  const char* const* pairs;
  const size_t* pair_sizes; /**< [n] likewise. */
  const char* prompt;       /**< Of LFFN_PROMPT_NAMED and LFFN_PROMPT_TEXT. */
  size_t prompt_size;       /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  /** Cut texts to so many tokens, special ones counted, never more than the model can run; of a pair the longer text
   * first; or LFFN_MAX_TOKENS_. Default LFFN_MAX_TOKENS_MODEL. */
  int64_t max_tokens;
  int32_t reading;     /**< LFFN_READING_. Default LFFN_READING_MODEL. */
  int32_t prompt_kind; /**< LFFN_PROMPT_. Default LFFN_PROMPT_MODEL. */
  int32_t pooling;     /**< LFFN_POOLING_. */
  int32_t normalize;   /**< LFFN_NORMALIZE_. */
  /** Tokens wanted for each mask, 1 to vocab_size. Default 0, which is refused where fillings are wanted. */
  int32_t top_k;
  int32_t num_threads;      /**< At most so many threads; 0 = as many as the model has. */
  uint32_t flags;           /**< LFFN_RUN_ values or-ed together. */
  uint32_t wanted;          /**< LFFN_WANT_ values or-ed together: what `result` is to receive. */
  const int64_t* positions; /**< Places in ids whose logits are wanted, in any order. */
  int64_t n_positions;      /**< How many. */
  /** NULL, or a number that another thread may set to non-zero while the call runs, see lffn_cancel. The call then ends
   * soon with LFFN_ERROR_CANCELLED; by then any part of the outputs may have been written, and nothing else. */
  const int32_t* cancel;
  lffn_result* result;           /**< NULL, or what receives all that is wanted. */
  float* hidden;                 /**< Receives the hidden states, [tokens, hidden_size]. */
  int64_t hidden_capacity;       /**< Its room, in floats. */
  float* embeddings;             /**< Receives [n, embedding_size]; a text of status other than LFFN_OK has zeros. */
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
  int64_t* n_masks;              /**< Receives how many masks all texts have together. */
  /** Receives [n] LFFN_OK, or why this text could not be run. A result has messages, too. */
  lffn_status* statuses;
  /** Receives [LFFN_NUM_STAGES] how long each stage took, on all threads together. Further stages would get another
   * member: this one keeps its length. */
  double* seconds;
  float* token_scores;           /**< Receives the raw scores of each token, [tokens, num_token_classes]. */
  int64_t token_scores_capacity; /**< Its room, in floats. */
  /** Receives [num_layers, 2] how long each layer took, on all threads together: its attention, with the linear layers
   * and the layer norm before it, and its feed-forward block, with its layer norm. */
  double* layer_seconds;
  int32_t aggregation; /**< LFFN_AGGREGATION_, for entities. */
  /** LFFN_WINDOWS_. Default LFFN_WINDOWS_NONE. The number of windows is not known before, so all that comes of each of
   * them needs a `result`; LFFN_MAX_TOKENS_NEVER does not go with windows, nor do entities. */
  int32_t windows;
  int64_t stride;     /**< Tokens of the text that a window repeats of the one before; or LFFN_STRIDE_DEFAULT. */
  int32_t dimensions; /**< Of each embedding the first so many numbers, scaled after that; 0: all. */
  int32_t reserved;   /**< 0. */
  lffn_run_progress progress; /**< NULL, or who is told how far the call has come. */
  void* progress_user;        /**< Passed to it. */
  int32_t max_active;         /**< Weights of a sparse vector, the largest ones; or LFFN_MAX_ACTIVE_. */
  float min_weight;           /**< Weights of a sparse vector are above it; default 0. */
} lffn_model_run_args;

/** What lffn_model_run_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_run_args) */
LFFN_API void lffn_model_run_args_init_sized(lffn_model_run_args* args, size_t struct_size);
/** Fills in the defaults: all zero but prompt_size. NULL is ignored. */
#define lffn_model_run_args_init(args) lffn_model_run_args_init_sized((args), sizeof *(args))

/** Runs the model.
 * @param model as loaded; several threads may run it at once
 * @param args  what to run, and where its results go
 * @return LFFN_OK, or
 *   - LFFN_ERROR_INVALID_ARGUMENT: an argument is NULL, out of its range or at odds with another; the model lacks the
 *     head, the tokenizer, the prompt or the kind of pooling; `result` is in use by another call;
 *   - LFFN_ERROR_NULL_TEXT, LFFN_ERROR_BAD_TEXT, LFFN_ERROR_TOO_LONG: of the first such text, unless statuses are
 *     wanted; LFFN_ERROR_TOO_LONG also of a sequence of ids;
 *   - LFFN_ERROR_TOO_SMALL: an array has too little room, as told above;
 *   - LFFN_ERROR_CANCELLED: the cancel flag was set;
 *   - LFFN_ERROR_UNSUPPORTED: `args` asks for what this version does not know, or the tokenizer's template cannot read
 *     what is asked;
 *   - LFFN_ERROR_OUT_OF_MEMORY, LFFN_ERROR_INTERNAL.
 *
 *   lffn_last_error tells more. */
LFFN_API LFFN_CHECKED lffn_status lffn_model_run(const lffn_model* model, const lffn_model_run_args* args);

/** One vector for each text, as the model means it: its prompt, its pooling, its scaling. A short form of
 * lffn_model_run.
 * @param model      the model
 * @param texts      [n] texts
 * @param sizes      [n] their bytes, SIZE_MAX for up to the first zero byte; NULL: so all of them
 * @param n          how many, any number from 0
 * @param max_tokens cut texts to so many tokens, or LFFN_MAX_TOKENS_
 * @param out        receives [n, embedding_size]
 * @param capacity   its room, in floats */
LFFN_API LFFN_CHECKED lffn_status lffn_model_embed_texts(const lffn_model* model, const char* const* texts,
                                                         const size_t* sizes, int64_t n, int64_t max_tokens, float* out,
                                                         int64_t capacity);

/** Turns raw class scores into probabilities or what the model's files ask for.
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
