// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>

#include "raw.h"
#include "raw_model.h"
#include "raw_structs.h"

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)
SAME(TOKENIZER_KIND_BYTE_PAIRS, LFFN_TOKENIZER_KIND_BYTE_PAIRS);
SAME(TOKENIZER_KIND_WORD_PIECE, LFFN_TOKENIZER_KIND_WORD_PIECE);
SAME(TOKENIZER_KIND_UNIGRAM, LFFN_TOKENIZER_KIND_UNIGRAM);
#undef SAME

lffn_status tokenizer_load(const char* path, const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                           lffn_file_progress_callback progress, void* progress_user, lffn_tokenizer** out) {
  const lffn_load_options given = load_options(options, runtime, cancel, progress, progress_user);
  return lffn_tokenizer_load(path, &given, out);
}

lffn_status tokenizer_load_files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n,
                                 lffn_read_callback read, const void* const* read_users, const int32_t* options,
                                 const lffn_runtime* runtime, const int32_t* cancel,
                                 lffn_file_progress_callback progress, void* progress_user, lffn_tokenizer** out) {
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
  if (n_bytes == 0) utf8 = "";
  if (pair != nullptr && pair_bytes == 0) pair = "";
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  args.n = 1;
  args.texts = &utf8;
  args.text_sizes = &n_bytes;
  args.pairs = pair == nullptr ? nullptr : &pair;
  args.pair_sizes = pair == nullptr ? nullptr : &pair_bytes;
  args.flags = static_cast<uint32_t>(flags);
  args.max_tokens = max_tokens;
  args.cancel = cancel;
  int64_t offsets[2] = {};
  const auto room = static_cast<int64_t>(capacity);
  lffn_output outputs[6] = {{LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2}};
  args.outputs = outputs;
  args.n_outputs = 1;
  if (n_uncut != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_UNCUT_LENGTHS, 0, n_uncut, 1};
  const int64_t counts = args.n_outputs;
  if (ids != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_TOKEN_IDS, 0, ids, room};
  if (types != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_TOKEN_TYPES, 0, types, room};
  if (begins != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_TOKEN_BEGINS, 0, begins, room};
  if (ends != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_TOKEN_ENDS, 0, ends, room};
  lffn_status status = lffn_tokenizer_encode(tokenizer, &args);
  if (status == LFFN_ERROR_TOO_SMALL) {
    args.n_outputs = counts;
    status = lffn_tokenizer_encode(tokenizer, &args);
  }
  if (status == LFFN_OK) *n_ids = static_cast<size_t>(offsets[1]);
  return status;
}

lffn_status tokenizer_encode_texts(const lffn_tokenizer* tokenizer, const char* utf8, int64_t* ends, int64_t n,
                                   int32_t flags, int64_t max_tokens, int32_t num_threads, lffn_result* result,
                                   const int32_t* cancel) {
  const Texts texts(utf8, ends, n);
  if (!texts.made()) return LFFN_ERROR_OUT_OF_MEMORY;
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  args.n = n;
  args.texts = texts.begins();
  args.text_sizes = texts.sizes();
  args.max_tokens = max_tokens;
  args.flags = static_cast<uint32_t>(flags & ~(ENCODE_SPANS | ENCODE_UNCUT));
  args.num_threads = num_threads;
  args.result = result;
  args.cancel = cancel;
  lffn_output outputs[10];
  const auto keep = [&](std::initializer_list<int32_t> list) {
    for (const int32_t what : list) outputs[args.n_outputs++] = {what, 0, nullptr, 0};
  };
  keep({LFFN_OUT_TOKEN_IDS, LFFN_OUT_TOKEN_TYPES, LFFN_OUT_TOKEN_OFFSETS, LFFN_OUT_WINDOW_OFFSETS});
  if ((flags & ENCODE_SPANS) != 0) keep({LFFN_OUT_TOKEN_BEGINS, LFFN_OUT_TOKEN_ENDS});
  if ((flags & ENCODE_UNCUT) != 0) keep({LFFN_OUT_UNCUT_LENGTHS});
  args.outputs = outputs;
  return lffn_tokenizer_encode(tokenizer, &args);
}

lffn_status tokenizer_decode(const lffn_tokenizer* tokenizer, const int32_t* ids, size_t n_ids, int32_t flags,
                             char* utf8, size_t capacity, size_t* n_bytes) {
  *n_bytes = 0;
  const int64_t offsets[] = {0, static_cast<int64_t>(n_ids)};
  int64_t text_offsets[2] = {};
  const lffn_output outputs[] = {{LFFN_OUT_DECODED_OFFSETS, 0, text_offsets, 2},
                                 {LFFN_OUT_DECODED, 0, utf8, static_cast<int64_t>(capacity)}};
  lffn_tokenizer_decode_args args;
  lffn_tokenizer_decode_args_init(&args);
  args.n = 1;
  args.ids = ids;
  args.offsets = offsets;
  args.flags = static_cast<uint32_t>(flags);
  args.outputs = outputs;
  args.n_outputs = 2;
  lffn_status status = lffn_tokenizer_decode(tokenizer, &args);
  const bool has_room = status != LFFN_ERROR_TOO_SMALL;
  if (!has_room) {
    args.n_outputs = 1;
    status = lffn_tokenizer_decode(tokenizer, &args);
  }
  // The zero byte behind the text is no part of it, but must have room.
  if (status == LFFN_OK) *n_bytes = static_cast<size_t>(text_offsets[1]) - (has_room ? 1 : 0);
  return status;
}

lffn_status tokenizer_decode_batch(const lffn_tokenizer* tokenizer, const int32_t* ids, int64_t* offsets, int64_t n,
                                   int32_t flags, lffn_result* result) {
  constexpr lffn_output kOutputs[] = {{LFFN_OUT_DECODED, 0, nullptr, 0}, {LFFN_OUT_DECODED_OFFSETS, 0, nullptr, 0}};
  lffn_tokenizer_decode_args args;
  lffn_tokenizer_decode_args_init(&args);
  args.n = n;
  args.ids = ids;
  args.offsets = offsets;
  args.flags = static_cast<uint32_t>(flags);
  args.outputs = kOutputs;
  args.n_outputs = 2;
  args.result = result;
  return lffn_tokenizer_decode(tokenizer, &args);
}

lffn_status tokenizer_find(const lffn_tokenizer* tokenizer, const char* utf8, size_t n_bytes, int32_t* id) {
  return lffn_tokenizer_find(tokenizer, utf8, n_bytes, id);
}

lffn_status tokenizer_token(const lffn_tokenizer* tokenizer, int32_t id, const char** utf8, size_t* n_bytes) {
  return lffn_tokenizer_token(tokenizer, id, utf8, n_bytes);
}
