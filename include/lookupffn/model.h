/* model.h - load, save, describe and free a whole model; run.h runs it. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_MODEL_H
#define LOOKUPFFN_MODEL_H

#include "lookupffn/base.h"
#include "lookupffn/tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup model A model
 * Load, save, describe and free a whole encoder with dense or LookupFFN feed-forward layers, its tokenizer and the
 * heads in its files: BERT, RoBERTa, DistilBERT, sentence encoders, rerankers, classifiers.
 * @{ */

/** A loaded model. */
typedef struct lffn_model lffn_model;

/** Loads a model.
 * @param path    a folder as Hugging Face and sentence-transformers write it (config.json, model.safetensors, tokenizer
 * files, modules.json); or a file that lffn_model_save wrote; UTF-8
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_model_free */
LFFN_API LFFN_CHECKED lffn_status lffn_model_load(const char* path, const lffn_load_options* options, lffn_model** out);

/** Loads a model from the bytes of a file that lffn_model_save wrote.
 * @param data    the bytes, of any alignment; they may be freed afterwards
 * @param size    how many
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_model_free */
LFFN_API LFFN_CHECKED lffn_status lffn_model_load_memory(const void* data, size_t size,
                                                         const lffn_load_options* options, lffn_model** out);

/** Loads a model from the files of a folder, held in memory. They may be freed afterwards.
 * @param files   [n_files] the folder's files; files that the model does not need are ignored
 * @param n_files how many
 * @param options NULL for the defaults
 * @param out     receives the handle; free it with lffn_model_free */
LFFN_API LFFN_CHECKED lffn_status lffn_model_load_files(const lffn_file* files, int64_t n_files,
                                                        const lffn_load_options* options, lffn_model** out);

/** How much memory a model will take. */
typedef struct lffn_memory_estimate {
  size_t struct_size;   /**< sizeof(lffn_memory_estimate), set by the _init function. */
  size_t weight_bytes;  /**< What lffn_model_costs.memory_bytes will be, or a little more. */
  size_t loading_bytes; /**< Most memory for weights and work at one time while it is loaded. */
} lffn_memory_estimate;

/** What lffn_memory_estimate_init calls.
 * @param estimate    NULL is ignored
 * @param struct_size the caller's sizeof(lffn_memory_estimate) */
LFFN_API void lffn_memory_estimate_init_sized(lffn_memory_estimate* estimate, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_memory_estimate_init(estimate) lffn_memory_estimate_init_sized((estimate), sizeof *(estimate))

/** Estimates how much memory lffn_model_load of the same path with the same options would take. It reads and checks the
 * files once, a few pieces at a time, so a model that it accepts can be loaded.
 * @param path     as for lffn_model_load
 * @param options  likewise
 * @param estimate receives it; its struct_size must be set, see lffn_memory_estimate_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_estimate(const char* path, const lffn_load_options* options,
                                                      lffn_memory_estimate* estimate);

/** The same for lffn_model_load_files. The bytes of a file that lffn_model_save wrote are one file,
 * "model.safetensors".
 * @param files    [n_files] as for lffn_model_load_files
 * @param n_files  how many
 * @param options  likewise
 * @param estimate receives it; its struct_size must be set, see lffn_memory_estimate_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_estimate_files(const lffn_file* files, int64_t n_files,
                                                            const lffn_load_options* options,
                                                            lffn_memory_estimate* estimate);

/** Writes the model to one file, with its tokenizer, labels, prompts and sentence modules, in the element types it
 * holds in memory, so that loading it again gives the same bits. The file appears whole or not at all: an unfinished
 * one is removed, and the old one stays unchanged.
 * @param model   the model
 * @param path    UTF-8
 * @param options NULL for the defaults */
LFFN_API LFFN_CHECKED lffn_status lffn_model_save(const lffn_model* model, const char* path,
                                                  const lffn_save_options* options);

/** Makes the caller another owner of the model, which lives until each owner has freed it. Any owning thread may call
 * it.
 * @param model NULL is ignored
 * @return model */
LFFN_API lffn_model* lffn_model_retain(lffn_model* model);

/** Gives up the caller's ownership of the model; the last owner's call frees it. Other owners may go on calling it
 * meanwhile. A thread that is not an owner must have returned from its calls before the last owner frees.
 * @param model NULL is ignored */
LFFN_API void lffn_model_free(lffn_model* model);

/** How the token vectors of a sequence become one vector. */
enum {
  LFFN_POOLING_MODEL = 0,         /**< As the model's files say; the mean if they say nothing. */
  LFFN_POOLING_FIRST = 1,         /**< The first token's vector. */
  LFFN_POOLING_MEAN = 2,          /**< The mean. */
  LFFN_POOLING_MAX = 3,           /**< The maximum of each number. */
  LFFN_POOLING_MEAN_SQRT = 4,     /**< The sum divided by the square root of the number of tokens. */
  LFFN_POOLING_WEIGHTED_MEAN = 5, /**< The mean with the first token counted once, the second twice, and so on. */
  LFFN_POOLING_LAST = 6           /**< The last token's vector. */
};

/** Whether an embedding, or a token vector, is divided by its Euclidean length (unless that is 0). */
enum {
  /** As the model's files say. If they say nothing: yes for embeddings; for token vectors, yes if the files say how to
   * make them from hidden states. */
  LFFN_NORMALIZE_MODEL = 0,
  LFFN_NORMALIZE_YES = 1, /**< Yes. */
  LFFN_NORMALIZE_NO = 2   /**< No. */
};

/** What LFFN_SCORES_MODEL makes of a class score x. */
enum {
  LFFN_SCORE_ACTIVATION_IDENTITY = 0, /**< x */
  LFFN_SCORE_ACTIVATION_TANH = 1,     /**< tanh(x) */
  LFFN_SCORE_ACTIVATION_RELU = 2,     /**< x if it is above 0, else 0 */
  LFFN_SCORE_ACTIVATION_SIGMOID = 3,  /**< 1 / (1 + exp(-x)) */
  LFFN_SCORE_ACTIVATION_GELU = 4      /**< x Phi(x), Phi the normal distribution */
};

/** What a model is. */
enum {
  LFFN_MODEL_KIND_ENCODER = 0, /**< Layers of attention and feed-forward blocks. */
  LFFN_MODEL_KIND_STATIC = 1   /**< No layers: an embedding is the mean of the tokens' vectors. */
};

/** What the model computes from each token's vector, besides outputs for the whole text. */
enum {
  LFFN_TOKEN_HEAD_NONE = 0,    /**< Nothing. */
  LFFN_TOKEN_HEAD_CLASSES = 1, /**< A score for each class of tokens, such as kinds of names. */
  LFFN_TOKEN_HEAD_ANSWERS =
      2 /**< Two scores: whether the answer to a question begins there, and whether it ends there. */
};

/** What a model is made of, and how it is held and run. */
typedef struct lffn_model_shape {
  size_t struct_size;          /**< sizeof(lffn_model_shape), set by the _init function. */
  int32_t kind;                /**< LFFN_MODEL_KIND_ */
  int32_t vocab_size;          /**< Token ids are below it. */
  int32_t hidden_size;         /**< Floats per token. */
  int32_t num_layers;          /**< Encoder layers. */
  int32_t num_lookup_layers;   /**< Layers with a lookup FFN; the others have a dense one. */
  int32_t num_attention_heads; /**< Most attention heads of any layer. */
  int32_t attention_head_size; /**< Floats per attention head. */
  int32_t intermediate_size;   /**< Most neurons of any layer; 0 if there are none. */
  int32_t num_token_types;     /**< Token types are below it. */
  int32_t max_tokens;          /**< Tokens of the longest sequence that the model can run. */
  int32_t own_max_tokens;      /**< Where the model cuts a text unless told otherwise: LFFN_MAX_TOKENS_MODEL. */
  int32_t is_causal;           /**< 1 if a token attends only to earlier ones, 0 if to both sides. */
  /** How far tokens of local layers attend: that many tokens on each side, or before them in a causal model; 0 if all
   * layers attend to all tokens. */
  int32_t attention_window;
  float rope_theta; /**< Of rotary positions, in layers that attend to all; 0: no such layers, or other positions. */
  float local_rope_theta;  /**< The same for local layers. */
  int32_t table_dtype;     /**< LFFN_DTYPE_F32, LFFN_DTYPE_BF16 or LFFN_DTYPE_INT8: as held in memory. */
  int32_t hash_dtype;      /**< LFFN_DTYPE_F32 or LFFN_DTYPE_INT8: as held in memory. */
  int32_t linear_dtype;    /**< LFFN_DTYPE_F32, LFFN_DTYPE_BF16 or LFFN_DTYPE_INT8: as held in memory. */
  int32_t embedding_dtype; /**< LFFN_DTYPE_F32, LFFN_DTYPE_BF16 or LFFN_DTYPE_INT8: of the word embeddings. */
  int32_t attention_dtype; /**< LFFN_DTYPE_F32 or LFFN_DTYPE_INT8: LFFN_DTYPE_INT8 if any layer attends in int8. */
  /** Grows when a version of the library changes the results of int8 arithmetic: compare stored embeddings only with
   * embeddings of the same number. It is 1000 more if LFFN_LOAD_SEVEN_BIT_INPUTS has an effect. */
  int32_t arithmetic;
  int32_t num_threads; /**< Threads per call, resolved. */
} lffn_model_shape;

/** What lffn_model_shape_init calls.
 * @param shape       NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_shape) */
LFFN_API void lffn_model_shape_init_sized(lffn_model_shape* shape, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_model_shape_init(shape) lffn_model_shape_init_sized((shape), sizeof *(shape))

/** Tells what the model is made of.
 * @param model the model
 * @param shape receives it; its struct_size must be set, see lffn_model_shape_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_get_shape(const lffn_model* model, lffn_model_shape* shape);

/** What a model makes of texts and tokens. The ids of its special tokens are its tokenizer's, see
 * lffn_tokenizer_info. */
typedef struct lffn_model_heads {
  size_t struct_size;          /**< sizeof(lffn_model_heads), set by the _init function. */
  int32_t has_tokenizer;       /**< 1 if the model can read text. */
  int32_t embedding_size;      /**< Floats per embedding, with the model's own pooling. */
  int32_t pooling;             /**< LFFN_POOLING_, as the files say; LFFN_POOLING_MODEL for several at once. */
  int32_t normalize;           /**< LFFN_NORMALIZE_YES or _NO, as the files say. */
  int32_t is_sentence_encoder; /**< 1 if its files say how to embed (modules.json). */
  int32_t num_prompts;         /**< See lffn_model_prompt. */
  int32_t default_prompt;      /**< Index of the default prompt; -1 for none. */
  int32_t num_classes;         /**< Classes of the classifier; 0 if there is none. */
  int32_t is_multi_label;      /**< 1 if a text may have several classes at once. */
  int32_t score_activation;    /**< LFFN_SCORE_ACTIVATION_: what a reranker's files make of its scores. */
  int32_t has_lm_head;         /**< 1 if the model can give logits. */
  int32_t token_head;          /**< LFFN_TOKEN_HEAD_ */
  int32_t num_token_classes;   /**< Scores per token; 2 for answers, 0 without a token head. */
  int32_t token_vector_size;   /**< Numbers of each token's vector: hidden_size unless the files change it. */
  int32_t sparse_size;         /**< Tokens that may have weights in a sparse vector; 0 if the model has none. */
  int32_t max_active;          /**< The files' limit for the weights of a sparse vector; 0: no limit. */
  int32_t is_late;             /**< 1 if its token vectors of queries and documents are made for lffn_max_sim. */
  int32_t max_query_tokens;    /**< Late interaction: most tokens of a query; some models pad shorter ones up to it. */
  int32_t max_document_tokens; /**< Late interaction: most tokens of a document. */
  uint32_t max_sim_flags;      /**< Late interaction: the flags to pass to lffn_max_sim. */
  int32_t query_prefix_id;     /**< Late interaction: id of the token behind the first one of a query; -1: none. */
  int32_t document_prefix_id;  /**< Late interaction: likewise of a document. */
  int32_t filler_id;           /**< Late interaction: id of the token that fills short queries; -1: none. */
  int32_t attends_to_filler;   /**< Late interaction: 1 if other tokens attend to those that fill a query. */
} lffn_model_heads;

/** What lffn_model_heads_init calls.
 * @param heads       NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_heads) */
LFFN_API void lffn_model_heads_init_sized(lffn_model_heads* heads, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_model_heads_init(heads) lffn_model_heads_init_sized((heads), sizeof *(heads))

/** Tells what the model makes of texts and tokens.
 * @param model the model
 * @param heads receives it; its struct_size must be set, see lffn_model_heads_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_get_heads(const lffn_model* model, lffn_model_heads* heads);

/** What a model costs. The FLOP of a sequence of n tokens are n times (ffn_flop_per_token + attention_flop_per_token +
 * other_flop_per_token + n * attention_flop_per_pair), plus lm_head_flop_per_token for each position whose logits are
 * asked for. */
typedef struct lffn_model_costs {
  size_t struct_size;               /**< sizeof(lffn_model_costs), set by the _init function. */
  int64_t ffn_flop_per_token;       /**< All feed-forward layers, including rows by word; the paper's count. */
  int64_t attention_flop_per_token; /**< The four linear layers of each attention. */
  int64_t attention_flop_per_pair;  /**< Scores and sums, for each token and each token it attends to. */
  int64_t other_flop_per_token;     /**< Embeddings, layer norms and residuals. */
  int64_t lm_head_flop_per_token;   /**< The logits of one position; 0 without the head. */
  int64_t num_parameters;           /**< Learned numbers. */
  size_t file_bytes;                /**< Bytes of the weights that lffn_model_save writes. */
  size_t memory_bytes;              /**< Weights in memory, without mapped rows. */
  size_t tokenizer_bytes;           /**< About how much memory the tokenizer takes, not included in memory_bytes. */
  /** At most this much scratch memory per call in flight, besides hidden_size floats for each position whose logits are
   * asked for. */
  size_t scratch_bytes;
} lffn_model_costs;

/** What lffn_model_costs_init calls.
 * @param costs       NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_costs) */
LFFN_API void lffn_model_costs_init_sized(lffn_model_costs* costs, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_model_costs_init(costs) lffn_model_costs_init_sized((costs), sizeof *(costs))

/** Tells what the model costs.
 * @param model the model
 * @param costs receives it; its struct_size must be set, see lffn_model_costs_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_get_costs(const lffn_model* model, lffn_model_costs* costs);

/** Bytes of a fingerprint. */
#define LFFN_FINGERPRINT_SIZE 16

/** Names what the model's results depend on: weights as they are held, config, tokenizer, prompts, element types and
 * arithmetic. Store it beside vectors, and compare: models with the same fingerprint make the same vectors from the
 * same calls, to the bit. A folder and the file that lffn_model_save makes of it have the same fingerprint; threads and
 * instruction sets do not change it. It tells models apart, but does not protect against forgery. The first call reads
 * all weights once.
 * @param model       the model
 * @param fingerprint receives LFFN_FINGERPRINT_SIZE bytes */
LFFN_API LFFN_CHECKED lffn_status lffn_model_fingerprint(const lffn_model* model, uint8_t* fingerprint);

/** What one encoder layer consists of and costs. Its feed-forward block is the sum of its parts: neurons, tables, a
 * linear map, and a row chosen by the token's id. */
typedef struct lffn_model_layer_info {
  size_t struct_size;          /**< sizeof(lffn_model_layer_info), set by the _init function. */
  int32_t num_attention_heads; /**< Attention heads; 0: attention gives only its output bias. */
  int32_t attention_head_size; /**< Floats per head. */
  int32_t num_neurons;         /**< 0: none, as for the parts below. */
  int32_t num_tables;          /**< Tables whose rows a hash chooses. */
  int32_t table_size;          /**< Rows of each. */
  int32_t projection;          /**< LFFN_PROJECTION_ */
  int32_t block_size;          /**< Of a BH projection. */
  int32_t num_probes;          /**< Rows read per table. */
  int32_t has_linear_map;      /**< 1 if there is one beside the tables. */
  int32_t num_word_rows;       /**< Rows by word. */
  int32_t
      linear_dtype;    /**< LFFN_DTYPE_F32, LFFN_DTYPE_BF16 or LFFN_DTYPE_INT8: of attention, neurons and linear map. */
  int32_t table_dtype; /**< LFFN_DTYPE_F32, LFFN_DTYPE_BF16 or LFFN_DTYPE_INT8, if there are tables. */
  int32_t hash_dtype;  /**< LFFN_DTYPE_F32 or LFFN_DTYPE_INT8, likewise. */
  int32_t word_row_dtype;           /**< LFFN_DTYPE_F32, _F16, _BF16, _INT8 or _INT4, if there are rows by word. */
  int64_t attention_flop_per_token; /**< As in lffn_model_costs, for this layer. */
  int64_t attention_flop_per_pair;  /**< Likewise. */
  int64_t ffn_flop_per_token;       /**< Likewise. */
  int64_t other_flop_per_token;     /**< Its layer norms and residuals. */
  int64_t num_parameters;           /**< Learned numbers. */
  size_t attention_bytes;           /**< Weights of attention in memory, including its layer norm. */
  size_t ffn_bytes;                 /**< Weights of the feed-forward block in memory, without mapped rows. */
  size_t word_row_bytes;            /**< All rows by word with their scales, in memory or mapped. */
  size_t file_bytes;                /**< Bytes that lffn_model_save writes for the layer. */
  int32_t attention_window;         /**< As in lffn_model_shape, for this layer; 0: it attends to all. */
  float rope_theta;                 /**< Of its rotary positions; 0: it has none. */
} lffn_model_layer_info;

/** What lffn_model_layer_info_init calls.
 * @param info        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_layer_info) */
LFFN_API void lffn_model_layer_info_init_sized(lffn_model_layer_info* info, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_model_layer_info_init(info) lffn_model_layer_info_init_sized((info), sizeof *(info))

/** Describes one of the model's layers.
 * @param model the model
 * @param layer 0 and more, below lffn_model_shape.num_layers
 * @param info  receives it; its struct_size must be set, see lffn_model_layer_info_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_get_layer_info(const lffn_model* model, int32_t layer,
                                                            lffn_model_layer_info* info);

/** The model's family, such as "bert"; "" for NULL. Valid as long as the model, like all texts below. */
LFFN_API const char* lffn_model_family(const lffn_model* model);

/** The name of a class of texts or of tokens, such as "POSITIVE" or "LABEL_0"; NULL if there is no such class or no
 * model. */
LFFN_API const char* lffn_model_label(const lffn_model* model, int32_t index);

/** The kind of entity that a class of tokens means: its label without the part before the first dash, "PER" of "B-PER".
 * NULL if there is no such class or no model. */
LFFN_API const char* lffn_model_entity_label(const lffn_model* model, int32_t index);

/** The name and the text of one of the model's prompts.
 * @param model the model
 * @param index 0 and more, below lffn_model_heads.num_prompts
 * @param name  receives its name, valid as long as the model
 * @param text  receives its text, valid as long as the model */
LFFN_API LFFN_CHECKED lffn_status lffn_model_prompt(const lffn_model* model, int32_t index, const char** name,
                                                    const char** text);

/** The text of the model's config.json; "" for NULL. */
LFFN_API const char* lffn_model_config(const lffn_model* model);

/** Returns the model's tokenizer as a handle of its own, which outlives the model.
 * @param model one with a tokenizer
 * @param out   receives the handle; free it with lffn_tokenizer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_model_tokenizer(const lffn_model* model, lffn_tokenizer** out);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_MODEL_H */
