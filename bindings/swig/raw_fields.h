// SPDX-License-Identifier: Apache-2.0
// What load and run options say, and what layer_info, model_info, model_layer_info, tokenizer_info and results tell: a
// place in their row of numbers, and the member of the public struct that lies there. Behind the lists that lack some
// stand the others, by name: a member of the struct that is in neither list is an error of compilation, see NAMES_ALL.
#ifndef LOOKUPFFN_BINDINGS_RAW_FIELDS_H
#define LOOKUPFFN_BINDINGS_RAW_FIELDS_H

#define LOAD_OPTIONS_FIELDS(FIELD)        \
  FIELD(NUM_THREADS, num_threads)         \
  FIELD(TABLE_DTYPE, table_dtype)         \
  FIELD(HASH_DTYPE, hash_dtype)           \
  FIELD(FLAGS, flags)                     \
  FIELD(LINEAR_DTYPE, linear_dtype)       \
  FIELD(EMBEDDING_DTYPE, embedding_dtype) \
  FIELD(WORD_DTYPE, word_dtype)           \
  FIELD(ATTENTION_DTYPE, attention_dtype)

// What else load_options() gives.
#define LOAD_OPTIONS_OTHERS(FIELD) \
  FIELD(_, runtime)                \
  FIELD(_, cancel)                 \
  FIELD(_, progress)               \
  FIELD(_, progress_user)          \
  FIELD(_, adapter)

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

// The two float values come as their bits.
#define LAYER_INFO_FIELDS(FIELD)             \
  FIELD(HIDDEN_SIZE, hidden_size)            \
  FIELD(OUTPUT_SIZE, output_size)            \
  FIELD(NUM_TABLES, num_tables)              \
  FIELD(TABLE_SIZE, table_size)              \
  FIELD(CODE_BITS, code_bits)                \
  FIELD(PROJECTION, projection)              \
  FIELD(BLOCK_SIZE, block_size)              \
  FIELD(NUM_CHAINS, num_chains)              \
  FIELD(ACTIVATION, activation)              \
  FIELD(NUM_PROBES, num_probes)              \
  FIELD(LAYER_NORM, layer_norm)              \
  FIELD(DECAY_COEFF_BITS, decay_coeff)       \
  FIELD(LAYER_NORM_EPS_BITS, layer_norm_eps) \
  FIELD(TABLE_DTYPE, table_dtype)            \
  FIELD(HASH_DTYPE, hash_dtype)              \
  FIELD(NUM_THREADS, num_threads)            \
  FIELD(FLOP_PER_TOKEN, flop_per_token)      \
  FIELD(NUM_PARAMETERS, num_parameters)      \
  FIELD(FILE_BYTES, file_bytes)              \
  FIELD(MEMORY_BYTES, memory_bytes)          \
  FIELD(SCRATCH_BYTES, scratch_bytes)

#define MODEL_INFO_FIELDS(FIELD)                            \
  FIELD(VOCAB_SIZE, vocab_size)                             \
  FIELD(HIDDEN_SIZE, hidden_size)                           \
  FIELD(EMBEDDING_SIZE, embedding_size)                     \
  FIELD(NUM_LAYERS, num_layers)                             \
  FIELD(NUM_LOOKUP_LAYERS, num_lookup_layers)               \
  FIELD(NUM_HEADS, num_heads)                               \
  FIELD(HEAD_SIZE, head_size)                               \
  FIELD(MAX_TOKENS, max_tokens)                             \
  FIELD(OWN_MAX_TOKENS, own_max_tokens)                     \
  FIELD(NUM_TOKEN_TYPES, num_token_types)                   \
  FIELD(INTERMEDIATE_SIZE, intermediate_size)               \
  FIELD(NUM_CLASSES, num_classes)                           \
  FIELD(SEVERAL_LABELS, several_labels)                     \
  FIELD(HAS_LM_HEAD, has_lm_head)                           \
  FIELD(HAS_TOKENIZER, has_tokenizer)                       \
  FIELD(IS_SENTENCE_ENCODER, is_sentence_encoder)           \
  FIELD(POOLING, pooling)                                   \
  FIELD(NORMALIZE, normalize)                               \
  FIELD(NUM_PROMPTS, num_prompts)                           \
  FIELD(DEFAULT_PROMPT, default_prompt)                     \
  FIELD(BOS_ID, bos_id)                                     \
  FIELD(EOS_ID, eos_id)                                     \
  FIELD(PAD_ID, pad_id)                                     \
  FIELD(UNK_ID, unk_id)                                     \
  FIELD(MASK_ID, mask_id)                                   \
  FIELD(TABLE_DTYPE, table_dtype)                           \
  FIELD(HASH_DTYPE, hash_dtype)                             \
  FIELD(LINEAR_DTYPE, linear_dtype)                         \
  FIELD(EMBEDDING_DTYPE, embedding_dtype)                   \
  FIELD(NUM_THREADS, num_threads)                           \
  FIELD(ARITHMETIC, arithmetic)                             \
  FIELD(SCORE_ACTIVATION, score_activation)                 \
  FIELD(FFN_FLOP_PER_TOKEN, ffn_flop_per_token)             \
  FIELD(ATTENTION_FLOP_PER_TOKEN, attention_flop_per_token) \
  FIELD(ATTENTION_FLOP_PER_PAIR, attention_flop_per_pair)   \
  FIELD(OTHER_FLOP_PER_TOKEN, other_flop_per_token)         \
  FIELD(LM_HEAD_FLOP_PER_TOKEN, lm_head_flop_per_token)     \
  FIELD(NUM_PARAMETERS, num_parameters)                     \
  FIELD(FILE_BYTES, file_bytes)                             \
  FIELD(MEMORY_BYTES, memory_bytes)                         \
  FIELD(SCRATCH_BYTES, scratch_bytes)                       \
  FIELD(TOKEN_HEAD, token_head)                             \
  FIELD(NUM_TOKEN_CLASSES, num_token_classes)               \
  FIELD(TOKEN_VECTOR_SIZE, token_vector_size)               \
  FIELD(ATTENTION_DTYPE, attention_dtype)                   \
  FIELD(TOKENIZER_BYTES, tokenizer_bytes)                   \
  FIELD(KIND, kind)                                         \
  FIELD(SPARSE_SIZE, sparse_size)                           \
  FIELD(MAX_ACTIVE, max_active)                             \
  FIELD(IS_LATE, is_late)                                   \
  FIELD(QUERY_TOKENS, query_tokens)                         \
  FIELD(DOCUMENT_TOKENS, document_tokens)                   \
  FIELD(MAX_SIM_FLAGS, max_sim_flags)                       \
  FIELD(IS_CAUSAL, is_causal)                               \
  FIELD(WINDOW, window)                                     \
  FIELD(THETA_BITS, theta)                                  \
  FIELD(LOCAL_THETA_BITS, local_theta)

#define MODEL_LAYER_INFO_FIELDS(FIELD)                      \
  FIELD(NUM_HEADS, num_heads)                               \
  FIELD(HEAD_SIZE, head_size)                               \
  FIELD(NUM_NEURONS, num_neurons)                           \
  FIELD(NUM_TABLES, num_tables)                             \
  FIELD(TABLE_SIZE, table_size)                             \
  FIELD(PROJECTION, projection)                             \
  FIELD(BLOCK_SIZE, block_size)                             \
  FIELD(NUM_PROBES, num_probes)                             \
  FIELD(HAS_LINEAR_MAP, has_linear_map)                     \
  FIELD(NUM_WORD_ROWS, num_word_rows)                       \
  FIELD(LINEAR_DTYPE, linear_dtype)                         \
  FIELD(TABLE_DTYPE, table_dtype)                           \
  FIELD(HASH_DTYPE, hash_dtype)                             \
  FIELD(WORD_DTYPE, word_dtype)                             \
  FIELD(ATTENTION_FLOP_PER_TOKEN, attention_flop_per_token) \
  FIELD(ATTENTION_FLOP_PER_PAIR, attention_flop_per_pair)   \
  FIELD(FFN_FLOP_PER_TOKEN, ffn_flop_per_token)             \
  FIELD(OTHER_FLOP_PER_TOKEN, other_flop_per_token)         \
  FIELD(NUM_PARAMETERS, num_parameters)                     \
  FIELD(ATTENTION_BYTES, attention_bytes)                   \
  FIELD(FFN_BYTES, ffn_bytes)                               \
  FIELD(WORD_BYTES, word_bytes)                             \
  FIELD(FILE_BYTES, file_bytes)                             \
  FIELD(WINDOW, window)                                     \
  FIELD(THETA_BITS, theta)

#define TOKENIZER_INFO_FIELDS(FIELD)    \
  FIELD(VOCAB_SIZE, vocab_size)         \
  FIELD(BOS_ID, bos_id)                 \
  FIELD(EOS_ID, eos_id)                 \
  FIELD(PAD_ID, pad_id)                 \
  FIELD(UNK_ID, unk_id)                 \
  FIELD(MASK_ID, mask_id)               \
  FIELD(ADDED_TO_TEXT, added_to_text)   \
  FIELD(ADDED_TO_PAIR, added_to_pair)   \
  FIELD(KIND, kind)                     \
  FIELD(OWN_MAX_TOKENS, own_max_tokens) \
  FIELD(MEMORY_BYTES, memory_bytes)

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

// The last member of some.
#define RESERVED(FIELD) FIELD(_, reserved)
#define NO_OTHERS(FIELD)

#endif  // LOOKUPFFN_BINDINGS_RAW_FIELDS_H
