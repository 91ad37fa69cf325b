// SPDX-License-Identifier: Apache-2.0
// The calls on tokenizers, in the manner of raw_model.h.
#ifndef LOOKUPFFN_BINDINGS_RAW_TOKENIZER_H
#define LOOKUPFFN_BINDINGS_RAW_TOKENIZER_H

#include <lookupffn/lookupffn.h>

lffn_status tokenizer_load(const char* path, const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                           lffn_load_progress progress, void* progress_user, lffn_tokenizer** out);
// As model_load_files.
lffn_status tokenizer_load_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                                 lffn_read read, const void* const* read_users, const int32_t* options,
                                 const lffn_runtime* runtime, const int32_t* cancel, lffn_load_progress progress,
                                 void* progress_user, lffn_tokenizer** out);
// The model's tokenizer as a handle of its own, which outlives the model.
lffn_status model_tokenizer(const lffn_model* model, lffn_tokenizer** out);
void tokenizer_free(lffn_tokenizer* tokenizer);
lffn_status tokenizer_info(const lffn_tokenizer* tokenizer, int64_t* tokenizer_numbers);

// pair may be null, and so may all arrays. n_ids and n_uncut are told even where the capacity is too small, which is no
// failure here.
lffn_status tokenizer_encode(const lffn_tokenizer* tokenizer, const char* utf8, size_t n_bytes, const char* pair,
                             size_t pair_bytes, int32_t flags, int64_t max_tokens, int32_t* ids, int32_t* types,
                             int64_t* begins, int64_t* ends, size_t capacity, size_t* n_ids, int64_t* n_uncut,
                             const int32_t* cancel);
// The same for texts that lie end to end, as model_run_texts has them, on several threads, into a result.
lffn_status tokenizer_encode_texts(const lffn_tokenizer* tokenizer, const char* utf8, int64_t* ends, int64_t n,
                                   int32_t flags, int64_t max_tokens, int32_t num_threads, lffn_result* result,
                                   const int32_t* cancel);
// n_bytes likewise.
lffn_status tokenizer_decode(const lffn_tokenizer* tokenizer, const int32_t* ids, size_t n_ids, int32_t flags,
                             char* utf8, size_t capacity, size_t* n_bytes);
// The texts of sequences that lie end to end, as model_run has them, into a result: RESULT_DECODED and
// RESULT_DECODED_SIZES.
lffn_status tokenizer_decode_batch(const lffn_tokenizer* tokenizer, const int32_t* ids, int64_t* offsets, int64_t n,
                                   int32_t flags, lffn_result* result);
// The id of a token as the vocabulary writes it, or -1.
lffn_status tokenizer_find(const lffn_tokenizer* tokenizer, const char* utf8, size_t n_bytes, int32_t* id);
// How the vocabulary writes an id, for as long as the tokenizer lives; null where it is no token's.
lffn_status tokenizer_token(const lffn_tokenizer* tokenizer, int32_t id, const char** utf8, size_t* n_bytes);

#ifndef SWIG
// The model's tokenizer for the length of one call.
class ModelTokenizer {
 public:
  explicit ModelTokenizer(const lffn_model* model) : status_(model_tokenizer(model, &tokenizer_)) {}
  ~ModelTokenizer() { lffn_tokenizer_free(tokenizer_); }
  ModelTokenizer(const ModelTokenizer&) = delete;
  ModelTokenizer& operator=(const ModelTokenizer&) = delete;
  lffn_status status() const { return status_; }
  const lffn_tokenizer* get() const { return tokenizer_; }

 private:
  lffn_tokenizer* tokenizer_ = nullptr;
  lffn_status status_;
};
#endif

#endif  // LOOKUPFFN_BINDINGS_RAW_TOKENIZER_H
