/* tokenizer.h - from text to token ids and back, without a model. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_TOKENIZER_H
#define LOOKUPFFN_TOKENIZER_H

#include "lookupffn/base.h"
#include "lookupffn/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tokenizer A tokenizer
 * Text to token ids and back: WordPiece, as BERT has it, byte-level BPE, as RoBERTa has it, and Unigram, as XLM-RoBERTa
 * has it.
 *
 *     lffn_tokenizer* tokenizer = NULL;
 *     if (lffn_tokenizer_load("my-model", NULL, &tokenizer) != LFFN_OK) ...
 *     int32_t ids[64];
 *     int64_t n_ids = 0;
 *     lffn_tokenize_args args;
 *     lffn_tokenize_args_init(&args);
 *     args.text = "A sentence.";
 *     args.ids = ids;
 *     args.capacity = 64;
 *     args.n_ids = &n_ids;
 *     lffn_tokenizer_encode(tokenizer, &args);
 *
 * The size of a text is its number of bytes, of which zero bytes are characters like others, or SIZE_MAX for a text
 * that ends before its first zero byte. Special tokens that stand in a text, such as "[MASK]" or "<mask>", are those
 * tokens. Text that is not UTF-8 is LFFN_ERROR_BAD_TEXT.
 * @{ */

/** A loaded tokenizer. */
typedef struct lffn_tokenizer lffn_tokenizer;

/** Loads a tokenizer.
 * @param path    a folder with tokenizer.json, vocab.txt, vocab.json with merges.txt, or SentencePiece's own file, and
 * the configuration files that go with them; or a file that lffn_model_save wrote, or a tokenizer.json; UTF-8
 * @param options NULL for defaults; their cancel is heeded, progress is told the end, the runtime gets the log, and
 * its threads, at most num_threads, run lffn_tokenizer_encode_batch
 * @param out     receives the handle; free it with lffn_tokenizer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_load(const char* path, const lffn_load_options* options,
                                                      lffn_tokenizer** out);

/** Loads a tokenizer from the files of such a folder, held in memory. They may be freed afterwards.
 * @param files   [n_files] others than a tokenizer's are ignored
 * @param n_files how many
 * @param options as of lffn_tokenizer_load
 * @param out     receives the handle */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_load_files(const lffn_file* files, int64_t n_files,
                                                            const lffn_load_options* options, lffn_tokenizer** out);

/** Frees the tokenizer. NULL is ignored. No other thread may be using the handle. */
LFFN_API void lffn_tokenizer_free(lffn_tokenizer* tokenizer);

/** How a tokenizer finds the tokens of a word, the values of lffn_tokenizer_info.kind. Later versions may add some. */
enum {
  LFFN_TOKENIZER_BYTE_PAIRS = 0, /**< Byte-level BPE. */
  LFFN_TOKENIZER_WORD_PIECE = 1, /**< WordPiece. */
  LFFN_TOKENIZER_UNIGRAM = 2     /**< Unigram. */
};

/** What a tokenizer is. Ids of tokens that it has not are -1. */
typedef struct lffn_tokenizer_info {
  size_t struct_size;    /**< sizeof(lffn_tokenizer_info), set by the _init function. */
  int32_t vocab_size;    /**< One more than the largest id. */
  int32_t bos_id;        /**< Of the token that begins a text: "<s>", "[CLS]". */
  int32_t eos_id;        /**< Of the token that ends a text: "</s>", "[SEP]". */
  int32_t pad_id;        /**< Of the padding token, which is never needed here. */
  int32_t unk_id;        /**< Of the token for what the vocabulary has not. */
  int32_t mask_id;       /**< Of the token for a blank to be filled. */
  int32_t added_to_text; /**< How many special tokens are put around a text. */
  int32_t added_to_pair; /**< How many around a pair of texts. */
  int32_t is_word_piece; /**< 1 for WordPiece, else 0. */
  int32_t kind;          /**< LFFN_TOKENIZER_ */
  /** The most tokens that a text has by its files, special ones counted; 0 when they tell none. Of a model's tokenizer
   * that of lffn_model_info. */
  int64_t own_max_tokens;
  size_t memory_bytes; /**< About what the tokenizer holds in memory. */
} lffn_tokenizer_info;

/** What lffn_tokenizer_info_init calls.
 * @param info        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_tokenizer_info) */
LFFN_API void lffn_tokenizer_info_init_sized(lffn_tokenizer_info* info, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_tokenizer_info_init(info) lffn_tokenizer_info_init_sized((info), sizeof *(info))

/** Tells what the tokenizer is. info->struct_size must be set, see lffn_tokenizer_info_init. */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_get_info(const lffn_tokenizer* tokenizer, lffn_tokenizer_info* info);

/** Values of max_tokens besides numbers above 0, here and in lffn_model_run_args. */
enum {
  /** Cut to own_max_tokens: of lffn_model_info where a model reads a text, of lffn_tokenizer_info where a tokenizer
   * does, which never cuts where that is 0. */
  LFFN_MAX_TOKENS_MODEL = 0,
  LFFN_MAX_TOKENS_NEVER = -1 /**< Never cut: a text of more tokens than the model can run is an error. */
};

/** Flags of lffn_tokenize_args. */
enum {
  LFFN_TOKENIZE_SPECIAL = 1u << 0, /**< Put the special tokens around the text, as the model wants them. The default. */
  LFFN_TOKENIZE_REPAIR = 1u << 1,  /**< What is not UTF-8 is read as U+FFFD, not refused. */
  LFFN_TOKENIZE_SPANS = 1u << 2,   /**< Of lffn_tokenizer_encode_batch: with the bytes that tokens stand for. */
  LFFN_TOKENIZE_UNCUT = 1u << 3,   /**< Likewise: with how many tokens each text would have without cutting. */
  LFFN_TOKENIZE_STATUSES = 1u << 4 /**< Likewise: with statuses and messages: a bad text fails no call. */
};

/** The arguments of lffn_tokenizer_encode. Call lffn_tokenize_args_init first. Outputs that stay NULL are left out. */
typedef struct lffn_tokenize_args {
  size_t struct_size; /**< sizeof(lffn_tokenize_args), set by the _init function. */
  const char* text;   /**< The text, UTF-8. */
  size_t text_size;   /**< Its bytes. Default SIZE_MAX: up to its first zero byte. */
  const char* pair;   /**< NULL, or the second text of a pair. */
  size_t pair_size;   /**< Its bytes. Default SIZE_MAX. */
  /** Cut to at most so many tokens, special ones counted, of a pair the longer text first; or LFFN_MAX_TOKENS_. Default
   * LFFN_MAX_TOKENS_NEVER. */
  int64_t max_tokens;
  const int32_t* cancel; /**< NULL, or a number that ends the call once it is not zero, see lffn_cancel. */
  int32_t* ids;          /**< Receives the ids. */
  int32_t* types;        /**< Receives the types: 1 for the second text of a pair where the template says so, else 0. */
  int64_t* begins;       /**< Receives the first byte of the text (or of its pair) that each token stands for. */
  int64_t* ends;         /**< Receives the byte behind the last one; a token added around the text has 0 and 0. */
  int64_t capacity;      /**< Room in each of the arrays that are given. */
  int64_t* n_ids;        /**< Receives how many ids there are, also with LFFN_ERROR_TOO_SMALL for a lower capacity. */
  int64_t* n_uncut;      /**< Receives how many there would be without cutting. */
  uint32_t flags;        /**< LFFN_TOKENIZE_ values or-ed together. Default LFFN_TOKENIZE_SPECIAL. */
  uint32_t reserved;     /**< 0. */
} lffn_tokenize_args;

/** What lffn_tokenize_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_tokenize_args) */
LFFN_API void lffn_tokenize_args_init_sized(lffn_tokenize_args* args, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_tokenize_args_init(args) lffn_tokenize_args_init_sized((args), sizeof *(args))

/** Turns a text, or a pair of texts, into tokens. Without any array it only counts them. A text of no bytes is valid
 * and may have no token.
 * @param tokenizer the tokenizer
 * @param args      what to read and what receives the tokens; see lffn_tokenize_args_init */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_encode(const lffn_tokenizer* tokenizer,
                                                        const lffn_tokenize_args* args);

/** The arguments of lffn_tokenizer_encode_batch. Call lffn_tokenize_batch_args_init first. */
typedef struct lffn_tokenize_batch_args {
  size_t struct_size;       /**< sizeof(lffn_tokenize_batch_args), set by the _init function. */
  int64_t n;                /**< Texts, any number from 0. */
  const char* const* texts; /**< [n] texts, UTF-8. */
  const size_t* text_sizes; /**< [n] their bytes, SIZE_MAX for up to the first zero byte; NULL: so all of them. */
  const char* const* pairs; /**< NULL, or for each text NULL or the second text of a pair. */
  const size_t* pair_sizes; /**< [n] likewise. */
  int64_t max_tokens;       /**< As in lffn_tokenize_args. Default LFFN_MAX_TOKENS_NEVER. */
  const int32_t* cancel;    /**< NULL, or a number that ends the call once it is not zero, see lffn_cancel. */
  lffn_result* result;      /**< Receives ids, offsets, token_types, and what the flags ask for. */
  uint32_t flags;           /**< LFFN_TOKENIZE_ values or-ed together. Default LFFN_TOKENIZE_SPECIAL. */
  int32_t num_threads;      /**< At most so many threads; 0 = as many as the tokenizer has. */
} lffn_tokenize_batch_args;

/** What lffn_tokenize_batch_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_tokenize_batch_args) */
LFFN_API void lffn_tokenize_batch_args_init_sized(lffn_tokenize_batch_args* args, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_tokenize_batch_args_init(args) lffn_tokenize_batch_args_init_sized((args), sizeof *(args))

/** Turns texts, or pairs of texts, into tokens, each as lffn_tokenizer_encode does, on several threads.
 * @param tokenizer the tokenizer
 * @param args      what to read and the result that receives the tokens; see lffn_tokenize_batch_args_init */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_encode_batch(const lffn_tokenizer* tokenizer,
                                                              const lffn_tokenize_batch_args* args);

/** Flags for turning tokens into text. */
enum {
  LFFN_DETOKENIZE_SKIP_SPECIAL = 1u << 0 /**< Leave out special tokens, such as "[CLS]" and "</s>". */
};

/** The text of ids. Bytes that are not UTF-8, as half of a character has, become U+FFFD.
 * @param tokenizer the tokenizer
 * @param ids       ids of the vocabulary; NULL is allowed where n_ids is 0
 * @param n_ids     how many
 * @param flags     LFFN_DETOKENIZE_ values or-ed together
 * @param utf8      receives the text, without a zero byte; NULL with a capacity of 0 to ask how long it is
 * @param capacity  room in utf8; less than the text needs is LFFN_ERROR_TOO_SMALL
 * @param n_bytes   receives how many bytes the text has, also when that is more than capacity */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_decode(const lffn_tokenizer* tokenizer, const int32_t* ids,
                                                        int64_t n_ids, uint32_t flags, char* utf8, size_t capacity,
                                                        size_t* n_bytes);

/** The texts of sequences of ids, each as lffn_tokenizer_decode gives it.
 * @param tokenizer the tokenizer
 * @param ids       ids of the vocabulary, sequence after sequence
 * @param offsets   [n + 1] where each sequence begins, and where the last one ends; the first one is 0
 * @param n         how many sequences, any number from 0
 * @param flags     LFFN_DETOKENIZE_ values or-ed together
 * @param result    receives lffn_result_view.decoded and decoded_sizes */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_decode_batch(const lffn_tokenizer* tokenizer, const int32_t* ids,
                                                              const int64_t* offsets, int64_t n, uint32_t flags,
                                                              lffn_result* result);

/** Looks up a token of the vocabulary, written as there ("##ing", "\xc4\xa0world").
 * @param tokenizer the tokenizer
 * @param token     the token, UTF-8
 * @param n_bytes   its bytes, or SIZE_MAX for up to its first zero byte
 * @param id        receives its id, or -1 */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_find(const lffn_tokenizer* tokenizer, const char* token,
                                                      size_t n_bytes, int32_t* id);

/** How the vocabulary writes a token.
 * @param tokenizer the tokenizer
 * @param id        0 and more, below vocab_size
 * @param token     receives where it is written, valid as long as the tokenizer; NULL for an id without a token
 * @param n_bytes   receives its bytes */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_token(const lffn_tokenizer* tokenizer, int32_t id, const char** token,
                                                       size_t* n_bytes);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_TOKENIZER_H */
