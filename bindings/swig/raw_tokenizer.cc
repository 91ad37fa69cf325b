// SPDX-License-Identifier: Apache-2.0
#include "raw.h"
#include "raw_model.h"
#include "raw_structs.h"

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)
SAME(TOKENIZER_KIND_BYTE_PAIRS, LFFN_TOKENIZER_BYTE_PAIRS);
SAME(TOKENIZER_KIND_WORD_PIECE, LFFN_TOKENIZER_WORD_PIECE);
SAME(TOKENIZER_KIND_UNIGRAM, LFFN_TOKENIZER_UNIGRAM);
#undef SAME
NAMES_ALL(TOKENIZER_INFO_FIELDS, NO_OTHERS, lffn_tokenizer_info)

lffn_status tokenizer_load(const char* path, const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                           lffn_load_progress progress, void* progress_user, lffn_tokenizer** out) {
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user);
  return lffn_tokenizer_load(path, &given, out);
}

lffn_status tokenizer_load_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                                 lffn_read read, const void* const* read_users, const int32_t* options,
                                 const lffn_runtime* runtime, const int32_t* cancel, lffn_load_progress progress,
                                 void* progress_user, lffn_tokenizer** out) {
  const Files files(names, contents, sizes, n, read, read_users);
  if (files.get() == nullptr) return LFFN_ERROR_OUT_OF_MEMORY;
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user);
  return lffn_tokenizer_load_files(files.get(), n, &given, out);
}

lffn_status model_tokenizer(const lffn_model* model, lffn_tokenizer** out) { return lffn_model_tokenizer(model, out); }
void tokenizer_free(lffn_tokenizer* tokenizer) { lffn_tokenizer_free(tokenizer); }

lffn_status tokenizer_info(const lffn_tokenizer* tokenizer, int64_t* tokenizer_numbers) {
  lffn_tokenizer_info info;
  lffn_tokenizer_info_init(&info);
  const lffn_status status = lffn_tokenizer_get_info(tokenizer, &info);
  if (status != LFFN_OK) return status;
#define COPY(place, member) tokenizer_numbers[TOKENIZER_##place] = number_of(info.member);
  TOKENIZER_INFO_FIELDS(COPY)
#undef COPY
  return LFFN_OK;
}

lffn_status tokenizer_encode(const lffn_tokenizer* tokenizer, const char* utf8, size_t n_bytes, const char* pair,
                             size_t pair_bytes, int32_t flags, int64_t max_tokens, int32_t* ids, int32_t* types,
                             int64_t* begins, int64_t* ends, size_t capacity, size_t* n_ids, int64_t* n_uncut,
                             const int32_t* cancel) {
  int64_t count = -1;
  lffn_tokenize_args args;
  lffn_tokenize_args_init(&args);
  args.text = utf8;
  args.text_size = n_bytes;
  args.pair = pair;
  args.pair_size = pair_bytes;
  args.flags = static_cast<uint32_t>(flags);
  args.max_tokens = max_tokens;
  args.cancel = cancel;
  args.ids = ids;
  args.types = types;
  args.begins = begins;
  args.ends = ends;
  args.capacity = static_cast<int64_t>(capacity);
  args.n_ids = &count;
  args.n_uncut = n_uncut;
  const lffn_status status = lffn_tokenizer_encode(tokenizer, &args);
  if (count >= 0) *n_ids = static_cast<size_t>(count);
  return status == LFFN_ERROR_TOO_SMALL ? LFFN_OK : status;
}

lffn_status tokenizer_encode_texts(const lffn_tokenizer* tokenizer, const char* utf8, int64_t* ends, int64_t n,
                                   int32_t flags, int64_t max_tokens, int32_t num_threads, lffn_result* result,
                                   const int32_t* cancel) {
  const Texts texts(utf8, ends, n);
  if (!texts.made()) return LFFN_ERROR_OUT_OF_MEMORY;
  lffn_tokenize_batch_args args;
  lffn_tokenize_batch_args_init(&args);
  args.n = n;
  args.texts = texts.begins();
  args.text_sizes = texts.sizes();
  args.max_tokens = max_tokens;
  args.flags = static_cast<uint32_t>(flags);
  args.num_threads = num_threads;
  args.result = result;
  args.cancel = cancel;
  return lffn_tokenizer_encode_batch(tokenizer, &args);
}

lffn_status tokenizer_decode(const lffn_tokenizer* tokenizer, const int32_t* ids, size_t n_ids, int32_t flags,
                             char* utf8, size_t capacity, size_t* n_bytes) {
  *n_bytes = 0;
  const lffn_status status = lffn_tokenizer_decode(tokenizer, ids, static_cast<int64_t>(n_ids),
                                                   static_cast<uint32_t>(flags), utf8, capacity, n_bytes);
  return status == LFFN_ERROR_TOO_SMALL ? LFFN_OK : status;
}

lffn_status tokenizer_decode_batch(const lffn_tokenizer* tokenizer, const int32_t* ids, int64_t* offsets, int64_t n,
                                   int32_t flags, lffn_result* result) {
  return lffn_tokenizer_decode_batch(tokenizer, ids, offsets, n, static_cast<uint32_t>(flags), result);
}

lffn_status tokenizer_find(const lffn_tokenizer* tokenizer, const char* utf8, size_t n_bytes, int32_t* id) {
  return lffn_tokenizer_find(tokenizer, utf8, n_bytes, id);
}

lffn_status tokenizer_token(const lffn_tokenizer* tokenizer, int32_t id, const char** utf8, size_t* n_bytes) {
  return lffn_tokenizer_token(tokenizer, id, utf8, n_bytes);
}
