// SPDX-License-Identifier: Apache-2.0
// What run options say and what results tell: a place in their row of numbers, and what lies there. Behind the list
// that lacks some stand the others, by name: a member of the struct that is in neither list is an error of compilation,
// see NAMES_ALL. The lists of whole structs are in abi_fields.h, which abi.py makes of the public headers.
#ifndef LOOKUPFFN_BINDINGS_RAW_FIELDS_H
#define LOOKUPFFN_BINDINGS_RAW_FIELDS_H

#include "abi_fields.h"

#define RUN_OPTIONS_FIELDS(FIELD) \
  FIELD(READING, reading)         \
  FIELD(PROMPT_KIND, prompt_kind) \
  FIELD(POOLING, pooling)         \
  FIELD(NORMALIZE, normalize)     \
  FIELD(NUM_THREADS, num_threads) \
  FIELD(DIMENSIONS, dimensions)   \
  FIELD(FLAGS, flags)             \
  FIELD(WINDOWS, windows)         \
  FIELD(STRIDE, stride)           \
  FIELD(MAX_ACTIVE, max_active)

// What is given to each call in its own way; and what other calls are for, or no binding passes on.
#define RUN_OPTIONS_OTHERS(FIELD) \
  FIELD(_, n)                     \
  FIELD(_, texts)                 \
  FIELD(_, text_sizes)            \
  FIELD(_, pairs)                 \
  FIELD(_, pair_sizes)            \
  FIELD(_, ids)                   \
  FIELD(_, offsets)               \
  FIELD(_, token_types)           \
  FIELD(_, prompt)                \
  FIELD(_, prompt_size)           \
  FIELD(_, max_tokens)            \
  FIELD(_, top_k)                 \
  FIELD(_, aggregation)           \
  FIELD(_, min_weight)            \
  FIELD(_, positions)             \
  FIELD(_, n_positions)           \
  FIELD(_, outputs)               \
  FIELD(_, n_outputs)             \
  FIELD(_, result)                \
  FIELD(_, cancel)                \
  FIELD(_, progress)              \
  FIELD(_, progress_user)

// Of its tokenizer.
#define MODEL_IDS_FIELDS(FIELD) \
  FIELD(BOS_ID, bos_id)         \
  FIELD(EOS_ID, eos_id)         \
  FIELD(PAD_ID, pad_id)         \
  FIELD(UNK_ID, unk_id)         \
  FIELD(MASK_ID, mask_id)

#define RESULT_FIELDS(FIELD)                             \
  FIELD(OFFSETS, LFFN_OUT_TOKEN_OFFSETS)                 \
  FIELD(UNCUT, LFFN_OUT_UNCUT)                           \
  FIELD(STATUSES, LFFN_OUT_STATUSES)                     \
  FIELD(IDS, LFFN_OUT_TOKEN_IDS)                         \
  FIELD(HIDDEN, LFFN_OUT_HIDDEN)                         \
  FIELD(EMBEDDINGS, LFFN_OUT_EMBEDDINGS)                 \
  FIELD(LOGITS, LFFN_OUT_LOGITS)                         \
  FIELD(CLASS_SCORES, LFFN_OUT_CLASS_SCORES)             \
  FIELD(TOKEN_SCORES, LFFN_OUT_TOKEN_SCORES)             \
  FIELD(ENTITY_OFFSETS, LFFN_OUT_ENTITY_OFFSETS)         \
  FIELD(ENTITY_BEGINS, LFFN_OUT_ENTITY_BEGINS)           \
  FIELD(ENTITY_ENDS, LFFN_OUT_ENTITY_ENDS)               \
  FIELD(ENTITY_CLASSES, LFFN_OUT_ENTITY_CLASSES)         \
  FIELD(ENTITY_SCORES, LFFN_OUT_ENTITY_SCORES)           \
  FIELD(TEXT_OFFSETS, LFFN_OUT_WINDOW_OFFSETS)           \
  FIELD(TOKEN_TYPES, LFFN_OUT_TOKEN_TYPES)               \
  FIELD(TOKEN_BEGINS, LFFN_OUT_TOKEN_BEGINS)             \
  FIELD(TOKEN_ENDS, LFFN_OUT_TOKEN_ENDS)                 \
  FIELD(TOKEN_TEXTS, LFFN_OUT_TOKEN_TEXTS)               \
  FIELD(TEXT_BEGINS, LFFN_OUT_TEXT_BEGINS)               \
  FIELD(TEXT_ENDS, LFFN_OUT_TEXT_ENDS)                   \
  FIELD(TOKEN_VECTORS, LFFN_OUT_TOKEN_VECTORS)           \
  FIELD(VECTOR_OFFSETS, LFFN_OUT_VECTOR_OFFSETS)         \
  FIELD(INT8_EMBEDDINGS, LFFN_OUT_INT8_EMBEDDINGS)       \
  FIELD(EMBEDDING_SCALES, LFFN_OUT_EMBEDDING_SCALES)     \
  FIELD(BIT_EMBEDDINGS, LFFN_OUT_BIT_EMBEDDINGS)         \
  FIELD(DECODED, LFFN_OUT_DECODED)                       \
  FIELD(DECODED_OFFSETS, LFFN_OUT_DECODED_OFFSETS)       \
  FIELD(SPARSE_OFFSETS, LFFN_OUT_SPARSE_OFFSETS)         \
  FIELD(SPARSE_IDS, LFFN_OUT_SPARSE_IDS)                 \
  FIELD(SPARSE_WEIGHTS, LFFN_OUT_SPARSE_WEIGHTS)         \
  FIELD(VECTOR_TOKENS, LFFN_OUT_VECTOR_TOKENS)           \
  FIELD(INT8_TOKEN_VECTORS, LFFN_OUT_INT8_TOKEN_VECTORS) \
  FIELD(TOKEN_VECTOR_SCALES, LFFN_OUT_TOKEN_VECTOR_SCALES)

// What result_size tells.
#define RESULT_SIZES(FIELD) FIELD(SEQUENCES) FIELD(TOKENS) FIELD(TEXTS) FIELD(EMBEDDING) FIELD(TOKEN_VECTOR)

#endif  // LOOKUPFFN_BINDINGS_RAW_FIELDS_H
