/* output.h - the outputs of all calls: what they are, where they go, how a result shows them. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_OUTPUT_H
#define LOOKUPFFN_OUTPUT_H

#include "lookupffn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup output Outputs
 * A call has a list of the outputs that it computes. Each goes to the caller's memory, or is kept in a result:
 *
 *     float embeddings[2 * 384];
 *     const lffn_output outputs[] = {
 *         {LFFN_OUT_EMBEDDINGS, 0, embeddings, 2 * 384},
 *         {LFFN_OUT_TOKEN_IDS, 0, NULL, 0},
 *         {LFFN_OUT_TOKEN_OFFSETS, 0, NULL, 0},
 *     };
 *     args.outputs = outputs;
 *     args.n_outputs = 3;
 *     args.result = result;
 *     if (lffn_model_run(model, &args) != LFFN_OK) ...
 *     lffn_array ids;
 *     if (lffn_result_array(result, LFFN_OUT_TOKEN_IDS, &ids) != LFFN_OK) ...
 *     const int32_t* first = ids.data;
 *
 * In the lists of LFFN_OUT_ below, "[rows, columns]" is an output's shape, "[rows]" one with a single column, and
 *   texts      are what the call was given: texts, or sequences of ids;
 *   sequences  are what was run: the texts, or their windows;
 *   tokens     are those of all sequences, one after the other.
 * Offsets have one row more than what they divide: the part of i begins at row offsets[i] and ends before
 * offsets[i + 1]. A text that was not run, for the reason in its status, has zeros or no rows. Outputs of text are
 * bytes of UTF-8; each text is followed by a zero byte, which its offsets count.
 * @{ */

/** What a call can compute. */
enum {
  /* What was read. A call that asks for nothing else runs no layer. */
  LFFN_OUT_TOKEN_IDS = 1,     /**< int32 [tokens] the ids that were run. */
  LFFN_OUT_TOKEN_TYPES = 2,   /**< int32 [tokens] their types. */
  LFFN_OUT_TOKEN_OFFSETS = 3, /**< int64 [sequences + 1] where each sequence's tokens begin. */
  /** int64 [tokens] the first byte of its text that each token stands for, counted in the text as it was passed; 0,
   * like the end, for tokens that were added. */
  LFFN_OUT_TOKEN_BEGINS = 4,
  LFFN_OUT_TOKEN_ENDS = 5,    /**< int64 [tokens] the byte after its last one. */
  LFFN_OUT_TOKEN_SOURCES = 6, /**< int8 [tokens] 0 for the text, 1 for its pair, -1 for neither. */
  /** int64 [sequences] the first byte of its text that each sequence stands for: 0 unless it was cut there. */
  LFFN_OUT_TEXT_BEGINS = 7,
  LFFN_OUT_TEXT_ENDS = 8,       /**< int64 [sequences] the byte where the text was cut, or its size. */
  LFFN_OUT_PAIR_BEGINS = 9,     /**< int64 [sequences] likewise, of the second text of a pair. */
  LFFN_OUT_PAIR_ENDS = 10,      /**< int64 [sequences] likewise; 0 if there is none. */
  LFFN_OUT_WINDOW_OFFSETS = 11, /**< int64 [texts + 1] where each text's windows begin among the sequences. */
  /** int64 [texts] how many tokens each would have without cutting. Without it long texts may be read no further than
   * they are run. */
  LFFN_OUT_UNCUT_LENGTHS = 12,
  /** int32 [texts] LFFN_OK, or why the text was not run. If these or messages are asked for, such a text does not fail
   * the call. */
  LFFN_OUT_STATUSES = 13,
  LFFN_OUT_MESSAGES = 14,        /**< text [bytes] the same as sentences, "" for LFFN_OK. */
  LFFN_OUT_MESSAGE_OFFSETS = 15, /**< int64 [texts + 1] where each message begins. */
  LFFN_OUT_MASK_POSITIONS = 16,  /**< int64 [masks] which tokens are masks. */
  LFFN_OUT_MASK_OFFSETS = 17,    /**< int64 [sequences + 1] where each sequence's masks begin. */

  /* What the model makes of sequences and tokens. */
  LFFN_OUT_HIDDEN = 18, /**< float32 [tokens, hidden_size] the hidden states. */
  /** float32 [sequences, numbers] an embedding for each; for means of windows [texts, numbers]. Numbers are
   * embedding_size unless pooling or dimensions change it. */
  LFFN_OUT_EMBEDDINGS = 19,
  LFFN_OUT_INT8_EMBEDDINGS = 20,  /**< int8, shaped like embeddings; each stands for itself times its row's scale. */
  LFFN_OUT_EMBEDDING_SCALES = 21, /**< float32 [rows of int8 embeddings] their scales. */
  /** uint8 [rows of embeddings, ceil(numbers / 8)] a bit for each number, set if it is above 0, the first in the
   * highest bit of its byte, and zeros after the last one. */
  LFFN_OUT_BIT_EMBEDDINGS = 22,
  /** float32 [vectors, token_vector_size] vectors of tokens, as late interaction compares them. With a late-interaction
   * model they differ for queries and documents: see LFFN_PROMPT_QUERY and LFFN_PROMPT_DOCUMENT; without either, each
   * token of the plain text has one. */
  LFFN_OUT_TOKEN_VECTORS = 23,
  LFFN_OUT_INT8_TOKEN_VECTORS = 24,    /**< int8, shaped like token vectors, likewise. */
  LFFN_OUT_TOKEN_VECTOR_SCALES = 25,   /**< float32 [vectors] their scales. */
  LFFN_OUT_VECTOR_TOKENS = 26,         /**< int64 [vectors] which token each belongs to. */
  LFFN_OUT_VECTOR_OFFSETS = 27,        /**< int64 [sequences + 1] where each sequence's vectors begin. */
  LFFN_OUT_CLASS_SCORES = 28,          /**< float32 [sequences, num_classes] the classifier's raw scores. */
  LFFN_OUT_TOKEN_SCORES = 29,          /**< float32 [tokens, num_token_classes] the raw scores of each token. */
  LFFN_OUT_LOGITS = 30,                /**< float32 [positions, vocab_size] of the language model head. */
  LFFN_OUT_FILLING_IDS = 31,           /**< int32 [masks, top_k] the tokens that fit best, the best first. */
  LFFN_OUT_FILLING_PROBABILITIES = 32, /**< float32 [masks, top_k] how probable each is. */
  LFFN_OUT_SPARSE_IDS = 33,     /**< int32 [weights] tokens of the vocabulary, each sequence's largest weights first. */
  LFFN_OUT_SPARSE_WEIGHTS = 34, /**< float32 [weights] their weights. */
  LFFN_OUT_SPARSE_OFFSETS = 35, /**< int64 [sequences + 1] where each sequence's sparse vector begins. */
  /** int64 [entities] the first byte in its text of each name, place or the like. The texts must have neither prompt
   * nor pair. A call has at most as many entities as tokens. */
  LFFN_OUT_ENTITY_BEGINS = 36,
  LFFN_OUT_ENTITY_ENDS = 37,   /**< int64 [entities] the byte after its last one. */
  LFFN_OUT_ENTITY_SCORES = 38, /**< float32 [entities] the mean of its parts' probabilities. */
  /** int32 [entities] the class of its first token, see lffn_model_entity_label. */
  LFFN_OUT_ENTITY_CLASSES = 39,
  LFFN_OUT_ENTITY_OFFSETS = 40, /**< int64 [texts + 1] where each text's entities begin. */

  /* What single calls make. */
  LFFN_OUT_ANSWER_BEGINS = 41,   /**< lffn_model_answer: int64 [answers] the first byte of each, the best first. */
  LFFN_OUT_ANSWER_ENDS = 42,     /**< lffn_model_answer: int64 [answers] the byte after its last one. */
  LFFN_OUT_ANSWER_SCORES = 43,   /**< lffn_model_answer: float32 [answers] how probable each is. */
  LFFN_OUT_ANSWER_OFFSETS = 44,  /**< lffn_model_answer: int64 [2] 0, and how many answers there are. */
  LFFN_OUT_LABEL_SCORES = 45,    /**< lffn_model_zero_shot: float32 [labels] a probability for each label. */
  LFFN_OUT_LABEL_ORDER = 46,     /**< lffn_model_zero_shot: int64 [labels] their indices, the most likely first. */
  LFFN_OUT_DOCUMENT_SCORES = 47, /**< lffn_model_rerank: float32 [documents] how well each answers the query. */
  LFFN_OUT_DOCUMENT_ORDER = 48,  /**< lffn_model_rerank: int64 [documents] their indices, the best first. */
  LFFN_OUT_MAX_SIM_SCORES = 49,  /**< lffn_max_sim: float32 [queries, documents] */
  LFFN_OUT_DECODED = 50,         /**< lffn_tokenizer_decode: text [bytes] the texts. */
  LFFN_OUT_DECODED_OFFSETS = 51, /**< lffn_tokenizer_decode: int64 [sequences + 1] where each text begins. */

  /* What it took, on all threads together. */
  LFFN_OUT_STAGE_SECONDS = 52, /**< float64 [LFFN_NUM_STAGES] for each LFFN_STAGE_. */
  /** float64 [num_layers, 2] for each layer: its attention, with the linear layers and the layer norm before it, and
   * its feed-forward block, with its layer norm. */
  LFFN_OUT_LAYER_SECONDS = 53
};

/** An output that a call is to compute, and where it goes. An output stands once in a list; one that the call or the
 * model does not have gives LFFN_ERROR_INVALID_ARGUMENT.
 *
 * If `capacity` is too small, the call returns LFFN_ERROR_TOO_SMALL and computes nothing. lffn_last_error names what is
 * needed, and so does the result, if the call has one: lffn_result_array then tells the rows and columns of each output
 * that was asked for. The numbers of entities and of weights are only known once the model has run; the other outputs
 * may have been written by then. This struct never grows. */
typedef struct lffn_output {
  int32_t what;     /**< LFFN_OUT_ */
  int32_t reserved; /**< 0. */
  void* data;       /**< Memory of the caller that receives it; NULL: the call's result keeps it. */
  int64_t capacity; /**< Room in data, in elements: numbers, or bytes of text; 0 without data. */
} lffn_output;

/** What a result holds of one output. This struct never grows. */
typedef struct lffn_array {
  /** The numbers, row after row. They belong to the result and are valid until it is used again or freed. NULL for an
   * output that went to the caller's memory, or that was not computed for lack of room. */
  const void* data;
  int64_t rows;    /**< How many; -1 if that is known only once the model has run, and it has not. */
  int32_t columns; /**< Numbers of each row. */
  int32_t dtype;   /**< Their type, LFFN_DTYPE_. */
} lffn_array;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_OUTPUT_H */
