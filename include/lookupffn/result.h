/* result.h - room for results of unknown size, and how to view them. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_RESULT_H
#define LOOKUPFFN_RESULT_H

#include "lookupffn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup result Results
 * What calls fill and keep. The contents of a result depend on what the call asked for.
 * @{ */

/** Room for the results of lffn_model_run, or of a tokenizer, if you do not know their size beforehand. It grows as
 * needed and is kept from call to call, so that a steady state allocates nothing. Only one call at a time may fill it:
 * meanwhile another call gives LFFN_ERROR_INVALID_ARGUMENT, and so does lffn_result_get. */
typedef struct lffn_result lffn_result;

/** Makes an empty result.
 * @param out receives the handle; free it with lffn_result_free */
LFFN_API LFFN_CHECKED lffn_status lffn_result_create(lffn_result** out);

/** Frees the result. NULL is ignored. */
LFFN_API void lffn_result_free(lffn_result* result);

/** What a result holds. The arrays belong to the result and are valid until it is used again or freed; anything that
 * was not asked for is NULL. */
typedef struct lffn_result_view {
  size_t struct_size;                 /**< sizeof(lffn_result_view), set by the _init function. */
  int64_t n;                          /**< Sequences: texts, or windows if texts are read in windows. */
  int64_t n_tokens;                   /**< Tokens that were run, in all sequences together. */
  int64_t n_positions;                /**< Rows of logits. */
  int64_t n_masks;                    /**< Masks that were filled. */
  const int64_t* offsets;             /**< [n + 1] where each sequence's tokens begin. */
  const int64_t* uncut;               /**< [n_texts] how many tokens each would have without cutting. */
  const lffn_status* statuses;        /**< [n_texts] why a text was not run; all LFFN_OK unless asked for. */
  const char* const* messages;        /**< [n_texts] if asked for: the same as a sentence, "" for LFFN_OK. */
  const int32_t* ids;                 /**< [n_tokens] */
  const float* hidden;                /**< [n_tokens, hidden_size] */
  const float* embeddings;            /**< [n, embedding_size]; for means of windows [n_texts, embedding_size]. */
  const float* logits;                /**< [n_positions, vocab_size] */
  const float* class_scores;          /**< [n, num_classes] */
  const int64_t* mask_offsets;        /**< [n + 1] where each sequence's masks begin. */
  const int32_t* filling_ids;         /**< [n_masks, top_k] the most likely first. */
  const float* filling_probabilities; /**< [n_masks, top_k] */
  const float* token_scores;          /**< [n_tokens, num_token_classes] */
  const int64_t* entity_offsets;      /**< [n + 1] where each text's entities begin. */
  const int64_t* entity_begins;       /**< [entity_offsets[n]] the first byte of each in its text. */
  const int64_t* entity_ends;         /**< Likewise: the byte after its last one. */
  const float* entity_scores;         /**< Likewise: the mean of its parts' probabilities. */
  const int32_t* entity_classes;      /**< Likewise: the class of its first token. */
  /** Likewise: its class's label without the part before the first dash, "PER" of "B-PER"; the whole label
   * with LFFN_AGGREGATION_NONE. Valid as long as the model. */
  const char* const* entity_labels;
  int64_t n_texts;             /**< Texts that were passed: n, unless these are windows. */
  const int64_t* text_offsets; /**< [n_texts + 1] where each text's windows begin among the sequences. */
  const int32_t* token_types;  /**< [n_tokens] beside ids. */
  /** [n_tokens] if spans were asked for: the first byte of its text that each token stands for; 0, like the next
   * member, for anything added before or after the text. Bytes are counted in the text as it was passed. */
  const int64_t* token_begins;
  const int64_t* token_ends; /**< [n_tokens] likewise: the byte after its last one. */
  const int8_t* token_texts; /**< [n_tokens] likewise: 0 for the text, 1 for its pair, -1 for neither. */
  /** [n] likewise: the first byte of its text that each sequence stands for, 0 unless it was cut there. */
  const int64_t* text_begins;
  const int64_t* text_ends;      /**< [n] likewise: the byte where the text was cut, or its size. */
  const int64_t* pair_begins;    /**< [n] likewise, of the second text of a pair. */
  const int64_t* pair_ends;      /**< [n] likewise; 0 if there is none. */
  const float* token_vectors;    /**< [vector_offsets[n], token_vector_size] */
  const int8_t* int8_embeddings; /**< Like embeddings; a number is this times the scale. */
  const float* embedding_scales; /**< One for each of int8_embeddings. */
  /** Like embeddings, ceil(embedding_size / 8) bytes each: a bit for each number, set if the number is above 0, the
   * first in the highest bit of its byte, and zeros after the last one. */
  const uint8_t* bit_embeddings;
  const char* const* decoded;    /**< [n] the texts of lffn_tokenizer_decode_batch, each followed by a zero byte. */
  const size_t* decoded_sizes;   /**< [n] their bytes. */
  int32_t embedding_size;        /**< Numbers of each embedding, given the call's pooling and dimensions. */
  int32_t token_vector_size;     /**< Numbers of each token vector. */
  const int64_t* sparse_offsets; /**< [n + 1] where each sequence's sparse vector begins. */
  const int32_t* sparse_ids;     /**< [sparse_offsets[n]] tokens of the vocabulary, the largest weights first. */
  const float* sparse_weights;   /**< Likewise: their weights. */
  /** [n + 1] where each sequence's token vectors begin; the same as offsets unless the model omits some tokens. */
  const int64_t* vector_offsets;
  const int64_t* vector_tokens;     /**< [vector_offsets[n]] which of the n_tokens tokens each vector belongs to. */
  const int8_t* int8_token_vectors; /**< Like token_vectors; a number is this times its vector's scale. */
  const float* token_vector_scales; /**< [vector_offsets[n]] */
} lffn_result_view;

/** What lffn_result_view_init calls.
 * @param view        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_result_view) */
LFFN_API void lffn_result_view_init_sized(lffn_result_view* view, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_result_view_init(view) lffn_result_view_init_sized((view), sizeof *(view))

/** Shows what the last call left in the result.
 * @param result the result
 * @param view   receives it; its struct_size must be set, see lffn_result_view_init */
LFFN_API LFFN_CHECKED lffn_status lffn_result_get(const lffn_result* result, lffn_result_view* view);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_RESULT_H */
