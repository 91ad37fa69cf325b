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
 * Load, save, describe and free a whole encoder, its feed-forward layers dense or LookupFFN, with its tokenizer and the
 * heads that its files hold: BERT, RoBERTa, DistilBERT, sentence encoders, rerankers, classifiers.
 * @{ */

/** A loaded model. */
typedef struct lffn_model lffn_model;

/** Loads a model.
 * @param path    a folder as Hugging Face and sentence-transformers write it (config.json, model.safetensors,
 * tokenizer files, modules.json); or a file that lffn_model_save wrote; UTF-8
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
 * @param files   [n_files] the folder's files; those that a model does not need are ignored
 * @param n_files how many
 * @param options NULL for the defaults
 * @param out     receives the handle */
LFFN_API LFFN_CHECKED lffn_status lffn_model_load_files(const lffn_file* files, int64_t n_files,
                                                        const lffn_load_options* options, lffn_model** out);

/** How much memory a model takes, told before it is loaded. */
typedef struct lffn_memory_estimate {
  size_t struct_size;   /**< sizeof(lffn_memory_estimate), set by the _init function. */
  size_t weight_bytes;  /**< What lffn_model_info.memory_bytes will be, or a little more. */
  size_t loading_bytes; /**< At most so much weight and work memory at once while it is loaded. */
} lffn_memory_estimate;

/** What lffn_memory_estimate_init calls.
 * @param estimate    NULL is ignored
 * @param struct_size the caller's sizeof(lffn_memory_estimate) */
LFFN_API void lffn_memory_estimate_init_sized(lffn_memory_estimate* estimate, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_memory_estimate_init(estimate) lffn_memory_estimate_init_sized((estimate), sizeof *(estimate))

/** Tells how much memory lffn_model_load of the same path with the same options would take. Reads and checks the files
 * once, a few pieces at a time, so what it accepts can be loaded.
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
 * holds in memory, so that loading it again gives the same bits. The file appears whole or not at all.
 * @param model the model
 * @param path  UTF-8 */
LFFN_API LFFN_CHECKED lffn_status lffn_model_save(const lffn_model* model, const char* path);

/** As lffn_model_save, so that it can be cancelled and tells how far it has come. A file that is not finished goes away
 * and leaves the old one as it was.
 * @param model   the model
 * @param path    UTF-8
 * @param options NULL for the defaults */
LFFN_API LFFN_CHECKED lffn_status lffn_model_save_with(const lffn_model* model, const char* path,
                                                       const lffn_save_options* options);

/** Makes the caller another owner of the model: it lives until each owner has freed it. From any thread that owns it.
 * @param model NULL is ignored
 * @return model */
LFFN_API lffn_model* lffn_model_retain(lffn_model* model);

/** Gives up the caller's share of the model; the last owner's call frees it. Other owners may go on calling it
 * meanwhile. A thread that is no owner must have returned from its calls before the last owner frees.
 * @param model NULL is ignored */
LFFN_API void lffn_model_free(lffn_model* model);

/** How the token vectors of a sequence become one vector. */
enum {
  LFFN_POOLING_MODEL = 0,         /**< As the model's files say; the mean where they say nothing. */
  LFFN_POOLING_FIRST = 1,         /**< That of the first token. */
  LFFN_POOLING_MEAN = 2,          /**< Their mean. */
  LFFN_POOLING_MAX = 3,           /**< The largest of each number. */
  LFFN_POOLING_MEAN_SQRT = 4,     /**< Their sum divided by the square root of their number. */
  LFFN_POOLING_WEIGHTED_MEAN = 5, /**< Their mean, in which the first token counts once, the second twice, and so on. */
  LFFN_POOLING_LAST = 6           /**< That of the last token. */
};

/** Whether an embedding, or a token vector, is divided by its Euclidean length (unless that is 0). */
enum {
  /** As the model's files say; of embeddings yes where they say nothing, of token vectors where the files tell how to
   * make them from hidden states. */
  LFFN_NORMALIZE_MODEL = 0,
  LFFN_NORMALIZE_YES = 1, /**< Yes. */
  LFFN_NORMALIZE_NO = 2   /**< No. */
};

/** What LFFN_SCORES_MODEL makes of a class score x. */
enum {
  LFFN_SCORE_IDENTITY = 0, /**< x */
  LFFN_SCORE_TANH = 1,     /**< tanh(x) */
  LFFN_SCORE_RELU = 2,     /**< x where it is above 0, else 0 */
  LFFN_SCORE_SIGMOID = 3,  /**< 1 / (1 + exp(-x)) */
  LFFN_SCORE_GELU = 4      /**< x Phi(x), Phi the normal distribution */
};

/** What a model is. */
enum {
  LFFN_KIND_ENCODER = 0, /**< Layers of attention and feed-forward blocks. */
  LFFN_KIND_STATIC = 1   /**< No layers: an embedding is the mean of vectors that tokens have. */
};

/** What becomes of each token's vector, besides what there is for a whole text. */
enum {
  LFFN_TOKEN_HEAD_NONE = 0,    /**< Nothing. */
  LFFN_TOKEN_HEAD_CLASSES = 1, /**< A score for each class of tokens, such as kinds of names. */
  LFFN_TOKEN_HEAD_ANSWERS = 2  /**< Two: whether the answer to a question begins there, whether it ends there. */
};

/** What a model is and costs. The FLOP of a sequence of n tokens are n times (ffn_flop_per_token +
 * attention_flop_per_token + other_flop_per_token + n * attention_flop_per_pair), and lm_head_flop_per_token for each
 * position that logits are asked for. */
typedef struct lffn_model_info {
  size_t struct_size;          /**< sizeof(lffn_model_info), set by the _init function. */
  int32_t vocab_size;          /**< Token ids are below it. */
  int32_t hidden_size;         /**< Floats per token. */
  int32_t embedding_size;      /**< Floats per embedding, pooled as the model means it. */
  int32_t num_layers;          /**< Encoder layers. */
  int32_t num_lookup_layers;   /**< Those with a lookup FFN; the others have a dense one. */
  int32_t num_heads;           /**< Attention heads, of the layer that has most. */
  int32_t head_size;           /**< Floats per attention head. */
  int32_t max_tokens;          /**< Of the longest sequence that the model can run. */
  int32_t own_max_tokens;      /**< Where the model cuts a text unless told otherwise: LFFN_MAX_TOKENS_MODEL. */
  int32_t num_token_types;     /**< Token types are below it. */
  int32_t intermediate_size;   /**< Neurons of the layer that has most; 0 if there are none. */
  int32_t num_classes;         /**< Of the classifier; 0 if there is none. */
  int32_t several_labels;      /**< 1 if a text may have several classes at once. */
  int32_t has_lm_head;         /**< 1 if the model can give logits. */
  int32_t has_tokenizer;       /**< 1 if the model can read text. */
  int32_t is_sentence_encoder; /**< 1 if its files tell how to embed (modules.json). */
  int32_t pooling;             /**< LFFN_POOLING_, as the files say; LFFN_POOLING_MODEL for several at once. */
  int32_t normalize;           /**< LFFN_NORMALIZE_YES or _NO, as the files say. */
  int32_t num_prompts;         /**< See lffn_model_prompt. */
  int32_t default_prompt;      /**< Which of them is the default one; -1 for none. */
  int32_t bos_id;              /**< Of the token that begins a text; -1 for none, as with the other ids. */
  int32_t eos_id;              /**< Of the token that ends a text. */
  int32_t pad_id;              /**< Of the padding token, which is never needed here. */
  int32_t unk_id;              /**< Of the token for what the vocabulary has not. */
  int32_t mask_id;             /**< Of the token for a blank to be filled. */
  int32_t table_dtype;         /**< LFFN_F32, LFFN_BF16 or LFFN_INT8: as held in memory. */
  int32_t hash_dtype;          /**< LFFN_F32 or LFFN_INT8: as held in memory. */
  int32_t linear_dtype;        /**< LFFN_F32, LFFN_BF16 or LFFN_INT8: as held in memory. */
  int32_t embedding_dtype;     /**< LFFN_F32, LFFN_BF16 or LFFN_INT8: of the word embeddings. */
  int32_t num_threads;         /**< Threads per call, resolved. */
  /** Grows when a version of the library changes the results of int8 arithmetic: embeddings that are stored should
   * be compared only with those of the same number. It is 1000 more where LFFN_LOAD_SEVEN_BIT_INPUTS has an effect. */
  int32_t arithmetic;
  int32_t score_activation;         /**< LFFN_SCORE_: what a reranker's files make of its scores. */
  int64_t ffn_flop_per_token;       /**< Of all feed-forward layers, rows by word included; the paper's count. */
  int64_t attention_flop_per_token; /**< Of the four linear layers of each attention. */
  int64_t attention_flop_per_pair;  /**< Of scores and sums, for each token and each token it attends to. */
  int64_t other_flop_per_token;     /**< Embeddings, layer norms and residuals. */
  int64_t lm_head_flop_per_token;   /**< Of the logits of one position; 0 without the head. */
  int64_t num_parameters;           /**< Numbers learned. */
  size_t file_bytes;                /**< Bytes of the weights that lffn_model_save writes. */
  size_t memory_bytes;              /**< Weights held in memory; rows that are mapped lie in the file. */
  /** At most this much scratch memory per call in flight, besides hidden_size floats for each position whose logits are
   * asked for. */
  size_t scratch_bytes;
  int32_t token_head;        /**< LFFN_TOKEN_HEAD_ */
  int32_t num_token_classes; /**< Scores of each token; 2 for answers, 0 without a head of tokens. */
  int32_t token_vector_size; /**< Numbers of each token's vector: hidden_size unless its files make others of it. */
  int32_t attention_dtype;   /**< LFFN_F32 or LFFN_INT8: LFFN_INT8 where any layer attends in int8. */
  size_t tokenizer_bytes;    /**< About what the tokenizer holds in memory, not among memory_bytes. */
  int32_t kind;              /**< LFFN_KIND_ */
  int32_t sparse_size;       /**< Tokens that a sparse vector may have weights of; 0 if the model gives none. */
  int32_t max_active;        /**< Weights of a sparse vector as the files limit them; 0: no limit. */
  int32_t is_late;           /**< 1 if token vectors of queries and documents are meant for lffn_max_sim. */
  int32_t query_tokens;      /**< Of a late model: where queries are cut, and up to what some models fill them. */
  int32_t document_tokens;   /**< Of a late model: where documents are cut. */
  uint32_t max_sim_flags;    /**< Of a late model: the flags of lffn_max_sim that it means. */
  int32_t late_size;         /**< Of a late model: numbers of each vector, token_vector_size; else 0. */
  int32_t is_causal;         /**< 1 if a token attends to those before it alone, 0 if to both sides. */
  /** How far tokens of local layers attend: to so many tokens on each side, of a causal model before them; 0 if all
   * layers attend to all. */
  int32_t window;
  float theta;       /**< Of rotary positions, in layers that attend to all; 0: no such layers, or other positions. */
  float local_theta; /**< The same in local layers. */
} lffn_model_info;

/** What lffn_model_info_init calls.
 * @param info        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_info) */
LFFN_API void lffn_model_info_init_sized(lffn_model_info* info, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_model_info_init(info) lffn_model_info_init_sized((info), sizeof *(info))

/** Tells what the model is and costs.
 * @param model the model
 * @param info  receives it; its struct_size must be set, see lffn_model_info_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_get_info(const lffn_model* model, lffn_model_info* info);

/** What one encoder layer is made of and costs. Its feed-forward block is the sum of the parts that it has: neurons,
 * tables, a linear map, and a row chosen by the token's id. */
typedef struct lffn_model_layer_info {
  size_t struct_size;               /**< sizeof(lffn_model_layer_info), set by the _init function. */
  int32_t num_heads;                /**< Attention heads; 0: attention gives its output bias alone. */
  int32_t head_size;                /**< Floats per head. */
  int32_t num_neurons;              /**< 0: none, as with the parts below. */
  int32_t num_tables;               /**< Tables whose rows a hash chooses. */
  int32_t table_size;               /**< Rows of each. */
  int32_t projection;               /**< LFFN_PROJECTION_ */
  int32_t block_size;               /**< Of a BH projection. */
  int32_t num_probes;               /**< Rows read of each table. */
  int32_t has_linear_map;           /**< 1 if there is one beside the tables. */
  int32_t num_word_rows;            /**< Rows that a token's id chooses from. */
  int32_t linear_dtype;             /**< LFFN_F32, LFFN_BF16 or LFFN_INT8: of attention, neurons and linear map. */
  int32_t table_dtype;              /**< LFFN_F32, LFFN_BF16 or LFFN_INT8, where there are tables. */
  int32_t hash_dtype;               /**< LFFN_F32 or LFFN_INT8, likewise. */
  int32_t word_dtype;               /**< LFFN_F32, _F16, _BF16, _INT8 or _INT4, where there are rows by word. */
  int64_t attention_flop_per_token; /**< As in lffn_model_info, of this layer. */
  int64_t attention_flop_per_pair;  /**< Likewise. */
  int64_t ffn_flop_per_token;       /**< Likewise. */
  int64_t other_flop_per_token;     /**< Of its layer norms and residuals. */
  int64_t num_parameters;           /**< Numbers learned. */
  size_t attention_bytes;           /**< Weights of attention held in memory, its layer norm included. */
  size_t ffn_bytes;                 /**< Those of the feed-forward block; rows that are mapped lie in the file. */
  size_t word_bytes;                /**< Of all rows by word with their scales, in memory or mapped. */
  size_t file_bytes;                /**< Bytes that lffn_model_save writes of the layer. */
  int32_t window;                   /**< As in lffn_model_info, of this layer; 0: it attends to all. */
  float theta;                      /**< Of its rotary positions; 0: it has none. */
} lffn_model_layer_info;

/** What lffn_model_layer_info_init calls.
 * @param info        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_model_layer_info) */
LFFN_API void lffn_model_layer_info_init_sized(lffn_model_layer_info* info, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_model_layer_info_init(info) lffn_model_layer_info_init_sized((info), sizeof *(info))

/** Tells what one of the model's layers is made of and costs.
 * @param model the model
 * @param layer 0 and more, below lffn_model_info.num_layers
 * @param info  receives it; its struct_size must be set, see lffn_model_layer_info_init */
LFFN_API LFFN_CHECKED lffn_status lffn_model_get_layer_info(const lffn_model* model, int32_t layer,
                                                            lffn_model_layer_info* info);

/** The model's family, such as "bert"; "" for NULL. Valid as long as the model, like all texts below. */
LFFN_API const char* lffn_model_family(const lffn_model* model);

/** The name of a class of texts or of tokens, such as "POSITIVE" or "LABEL_0"; NULL where there is no such class, as
 * for no model. */
LFFN_API const char* lffn_model_label(const lffn_model* model, int32_t index);

/** The name and the text of one of the model's prompts.
 * @param model the model
 * @param index 0 and more, below lffn_model_info.num_prompts
 * @param name  receives its name, valid as long as the model
 * @param text  receives its text, valid as long as the model */
LFFN_API LFFN_CHECKED lffn_status lffn_model_prompt(const lffn_model* model, int32_t index, const char** name,
                                                    const char** text);

/** The text of the model's config.json; "" for NULL. */
LFFN_API const char* lffn_model_config(const lffn_model* model);

/** Gives the model's tokenizer as a handle of its own, which outlives the model.
 * @param model one with a tokenizer
 * @param out   receives the handle; free it with lffn_tokenizer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_model_tokenizer(const lffn_model* model, lffn_tokenizer** out);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_MODEL_H */
