/* tokenizer.h - from text to token ids and back, without a model. Included by lookupffn.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOOKUPFFN_TOKENIZER_H
#define LOOKUPFFN_TOKENIZER_H

#include "lookupffn/base.h"
#include "lookupffn/output.h"
#include "lookupffn/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tokenizer A tokenizer
 * Text to token ids and back: WordPiece as in BERT, byte-level BPE as in RoBERTa, and Unigram as in XLM-RoBERTa.
 *
 *     lffn_tokenizer* tokenizer = NULL;
 *     if (lffn_tokenizer_load("my-model", NULL, &tokenizer) != LFFN_OK) ...
 *     const char* text = "A sentence.";
 *     int32_t ids[64];
 *     int64_t offsets[2];  // offsets[1] is how many ids there are
 *     const lffn_output outputs[] = {{LFFN_OUT_TOKEN_IDS, 0, ids, 64}, {LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2}};
 *     lffn_tokenizer_encode_args args;
 *     lffn_tokenizer_encode_args_init(&args);
 *     args.n = 1;
 *     args.texts = &text;
 *     args.outputs = outputs;
 *     args.n_outputs = 2;
 *     lffn_tokenizer_encode(tokenizer, &args);
 *
 * The size of a text is its number of bytes, in which zero bytes are characters like others, or SIZE_MAX for a text
 * that ends before its first zero byte. Special tokens written in a text, such as "[MASK]" or "<mask>", become those
 * tokens. Text that is not UTF-8 gives LFFN_ERROR_BAD_TEXT.
 * @{ */

/** A loaded tokenizer. */
typedef struct lffn_tokenizer lffn_tokenizer;

/** Loads a tokenizer.
 * @param path    a folder with tokenizer.json, vocab.txt, vocab.json with merges.txt, or SentencePiece's own file, and
 * their configuration files; or a file that lffn_model_save wrote, or a tokenizer.json; UTF-8
 * @param options NULL for defaults; cancel works, progress reports only the end, the runtime gets the log, and its
 * threads, at most num_threads, run lffn_tokenizer_encode
 * @param out     receives the handle; free it with lffn_tokenizer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_load(const char* path, const lffn_load_options* options,
                                                      lffn_tokenizer** out);

/** Loads a tokenizer from the files of such a folder, held in memory. They may be freed afterwards.
 * @param files   [n_files] files that a tokenizer does not need are ignored
 * @param n_files how many
 * @param options as for lffn_tokenizer_load
 * @param out     receives the handle; free it with lffn_tokenizer_free */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_load_files(const lffn_file* files, int64_t n_files,
                                                            const lffn_load_options* options, lffn_tokenizer** out);

/** Makes the caller another owner of the tokenizer, see lffn_model_retain.
 * @param tokenizer NULL is ignored
 * @return tokenizer */
LFFN_API lffn_tokenizer* lffn_tokenizer_retain(lffn_tokenizer* tokenizer);

/** Gives up the caller's ownership of the tokenizer; the last owner's call frees it, see lffn_model_free.
 * @param tokenizer NULL is ignored */
LFFN_API void lffn_tokenizer_free(lffn_tokenizer* tokenizer);

/** The kind of a tokenizer, lffn_tokenizer_info.kind. Later versions may add some. */
enum {
  LFFN_TOKENIZER_KIND_BYTE_PAIRS = 0, /**< BPE, of bytes or of characters. */
  LFFN_TOKENIZER_KIND_WORD_PIECE = 1, /**< WordPiece. */
  LFFN_TOKENIZER_KIND_UNIGRAM = 2     /**< Unigram. */
};

/** What a tokenizer is. Ids of tokens that it lacks are -1. */
typedef struct lffn_tokenizer_info {
  size_t struct_size;    /**< sizeof(lffn_tokenizer_info), set by the _init function. */
  int32_t vocab_size;    /**< One more than the largest id. */
  int32_t bos_id;        /**< Id of the token that begins a text: "<s>", "[CLS]". */
  int32_t eos_id;        /**< Id of the token that ends a text: "</s>", "[SEP]". */
  int32_t pad_id;        /**< Id of the padding token, which is never needed here. */
  int32_t unk_id;        /**< Id of the unknown token. */
  int32_t mask_id;       /**< Id of the mask token. */
  int32_t added_to_text; /**< How many special tokens are put around a text. */
  int32_t added_to_pair; /**< How many are put around a pair of texts. */
  int32_t kind;          /**< LFFN_TOKENIZER_KIND_ */
  int32_t reserved;      /**< 0. */
  /** Most tokens of a text according to its files, including special ones; 0 if they say nothing. For a model's
   * tokenizer, the same as in lffn_model_shape. */
  int64_t own_max_tokens;
  size_t memory_bytes; /**< About how much memory the tokenizer takes. */
} lffn_tokenizer_info;

/** What lffn_tokenizer_info_init calls.
 * @param info        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_tokenizer_info) */
LFFN_API void lffn_tokenizer_info_init_sized(lffn_tokenizer_info* info, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_tokenizer_info_init(info) lffn_tokenizer_info_init_sized((info), sizeof *(info))

/** Describes the tokenizer.
 * @param tokenizer the tokenizer
 * @param info      receives it; its struct_size must be set, see lffn_tokenizer_info_init */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_get_info(const lffn_tokenizer* tokenizer, lffn_tokenizer_info* info);

/** Values of max_tokens besides numbers above 0, here and in lffn_model_run_args. */
enum {
  /** Cut to own_max_tokens: that of lffn_model_shape if a model reads the text, that of lffn_tokenizer_info if a
   * tokenizer does. A tokenizer never cuts if it is 0. */
  LFFN_MAX_TOKENS_MODEL = 0,
  LFFN_MAX_TOKENS_NEVER = -1 /**< Never cut: a text of more tokens than the model can run is an error. */
};

/** Flags of lffn_tokenizer_encode_args. */
enum {
  /** Leave out the special tokens that the model needs around a text. */
  LFFN_ENCODE_SKIP_SPECIAL = 1u << 0,
  LFFN_ENCODE_REPAIR_TEXT = 1u << 1 /**< Invalid UTF-8 is read as U+FFFD, not refused. */
};

/** The arguments of lffn_tokenizer_encode. Call lffn_tokenizer_encode_args_init first. */
typedef struct lffn_tokenizer_encode_args {
  size_t struct_size;       /**< sizeof(lffn_tokenizer_encode_args), set by the _init function. */
  int64_t n;                /**< Texts, any number from 0. */
  const char* const* texts; /**< [n] texts, UTF-8; may be NULL if n is 0. */
  const size_t* text_sizes; /**< [n] their bytes, or SIZE_MAX for up to the first zero byte; NULL: SIZE_MAX for all. */
  const char* const* pairs; /**< NULL, or for each text NULL or the second text of a pair. */
  const size_t* pair_sizes; /**< [n] likewise. */
  /** Cut to at most this many tokens, including special ones, of a pair the longer text first; or LFFN_MAX_TOKENS_.
   * Default LFFN_MAX_TOKENS_NEVER. */
  int64_t max_tokens;
  const lffn_output* outputs; /**< [n_outputs] from LFFN_OUT_TOKEN_IDS to LFFN_OUT_MESSAGE_OFFSETS. */
  int64_t n_outputs;          /**< How many. */
  lffn_result* result;        /**< NULL, or what keeps the outputs that go to no memory of the caller. */
  uint32_t flags;             /**< LFFN_ENCODE_ values or-ed together. */
  int32_t num_threads;        /**< Most threads to use; 0 = as many as the tokenizer has. */
  const int32_t* cancel;      /**< NULL, or a number that ends the call once it is not zero, see lffn_cancel. */
} lffn_tokenizer_encode_args;

/** What lffn_tokenizer_encode_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_tokenizer_encode_args) */
LFFN_API void lffn_tokenizer_encode_args_init_sized(lffn_tokenizer_encode_args* args, size_t struct_size);
/** Fills in the defaults. NULL is ignored. */
#define lffn_tokenizer_encode_args_init(args) lffn_tokenizer_encode_args_init_sized((args), sizeof *(args))

/** Turns texts, or pairs of texts, into tokens, on several threads. A text of no bytes is valid and may have no token.
 * To count tokens, ask for LFFN_OUT_TOKEN_OFFSETS alone. Texts are not read in windows: each is one sequence.
 * @param tokenizer the tokenizer
 * @param args      what to read and which outputs go where; see lffn_tokenizer_encode_args_init */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_encode(const lffn_tokenizer* tokenizer,
                                                        const lffn_tokenizer_encode_args* args);

/** Flags for turning tokens into text. */
enum {
  LFFN_DECODE_SKIP_SPECIAL = 1u << 0 /**< Leave out special tokens, such as "[CLS]" and "</s>". */
};

/** The arguments of lffn_tokenizer_decode. Call lffn_tokenizer_decode_args_init first. */
typedef struct lffn_tokenizer_decode_args {
  size_t struct_size;         /**< sizeof(lffn_tokenizer_decode_args), set by the _init function. */
  int64_t n;                  /**< Sequences, any number from 0. */
  const int32_t* ids;         /**< Ids of the vocabulary, sequence after sequence; may be NULL if there are none. */
  const int64_t* offsets;     /**< [n + 1] where each sequence begins, and where the last one ends; the first is 0. */
  const lffn_output* outputs; /**< [n_outputs] LFFN_OUT_DECODED and LFFN_OUT_DECODED_OFFSETS. */
  int64_t n_outputs;          /**< How many. */
  lffn_result* result;        /**< NULL, or what keeps the outputs that go to no memory of the caller. */
  uint32_t flags;             /**< LFFN_DECODE_ values or-ed together. */
  int32_t reserved;           /**< 0. */
} lffn_tokenizer_decode_args;

/** What lffn_tokenizer_decode_args_init calls.
 * @param args        NULL is ignored
 * @param struct_size the caller's sizeof(lffn_tokenizer_decode_args) */
LFFN_API void lffn_tokenizer_decode_args_init_sized(lffn_tokenizer_decode_args* args, size_t struct_size);
/** Sets struct_size and clears the rest. NULL is ignored. */
#define lffn_tokenizer_decode_args_init(args) lffn_tokenizer_decode_args_init_sized((args), sizeof *(args))

/** Turns sequences of ids into texts. Bytes that are not UTF-8, such as half of a character, become U+FFFD.
 * @param tokenizer the tokenizer
 * @param args      what to decode and which outputs go where; see lffn_tokenizer_decode_args_init */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_decode(const lffn_tokenizer* tokenizer,
                                                        const lffn_tokenizer_decode_args* args);

/** Looks up a token of the vocabulary, written as in the vocabulary ("##ing", "\xc4\xa0world").
 * @param tokenizer the tokenizer
 * @param token     the token, UTF-8
 * @param size      its bytes, or SIZE_MAX for up to its first zero byte
 * @param id        receives its id, or -1 */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_find(const lffn_tokenizer* tokenizer, const char* token, size_t size,
                                                      int32_t* id);

/** Returns how the vocabulary writes a token.
 * @param tokenizer the tokenizer
 * @param id        0 and more, below vocab_size
 * @param token     receives its text, valid as long as the tokenizer; NULL for an id without a token
 * @param size      receives how many bytes it has */
LFFN_API LFFN_CHECKED lffn_status lffn_tokenizer_token(const lffn_tokenizer* tokenizer, int32_t id, const char** token,
                                                       size_t* size);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* LOOKUPFFN_TOKENIZER_H */
