// SPDX-License-Identifier: Apache-2.0
// The calls that tests make most, as short forms of lffn_model_run and of a tokenizer's calls. Arrays are as long as
// the results: capacities are the business of tests of their own.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "lookupffn/lookupffn.h"

namespace short_calls {

constexpr int64_t kRoom = std::numeric_limits<int64_t>::max();

// Runs with one output.
inline lffn_status run(const lffn_model* model, lffn_model_run_args& args, int32_t what, float* out,
                       int64_t capacity = kRoom) {
  const lffn_output output = {what, 0, out, capacity};
  if (out != nullptr) {
    args.outputs = &output;
    args.n_outputs = 1;
  }
  return lffn_model_run(model, &args);
}

inline lffn_model_run_args args_of(const int32_t* ids, const int64_t* offsets, int64_t n) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = ids;
  args.offsets = offsets;
  args.n = n;
  return args;
}

inline lffn_status encode(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                          float* hidden) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  return run(model, args, LFFN_OUT_HIDDEN, hidden);
}

inline lffn_status logits(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                          const int64_t* positions, int64_t n_positions, float* out) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  args.logit_positions = positions;
  args.n_logit_positions = n_positions;
  return run(model, args, LFFN_OUT_LOGITS, out);
}

inline lffn_status classify(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                            float* scores) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  return run(model, args, LFFN_OUT_CLASS_SCORES, scores);
}

inline lffn_status embed(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                         int32_t pooling, int32_t normalize, float* out) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  args.pooling = pooling;
  args.normalize = normalize;
  return run(model, args, LFFN_OUT_EMBEDDINGS, out);
}

inline lffn_status classify_texts(const lffn_model* model, const char* const* texts, const size_t* sizes, int64_t n,
                                  int64_t max_tokens, float* scores, int64_t capacity) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.texts = texts;
  args.text_sizes = sizes;
  args.n = n;
  args.max_tokens = max_tokens;
  return run(model, args, LFFN_OUT_CLASS_SCORES, scores, capacity);
}

// Never cuts the text. Tells how many masks there are even where there is too little room.
inline lffn_status fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k, int32_t* ids,
                             float* probabilities, int64_t capacity, int64_t* n_masks) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.texts = &utf8;
  args.text_sizes = &n_bytes;
  args.n = 1;
  args.max_tokens = LFFN_MAX_TOKENS_NEVER;
  args.top_k = top_k;
  int64_t masks[2] = {};
  int32_t none = 0;
  const lffn_output outputs[] = {{LFFN_OUT_MASK_OFFSETS, 0, masks, 2},
                                 {LFFN_OUT_FILLING_IDS, 0, ids != nullptr ? ids : &none, capacity},
                                 {LFFN_OUT_FILLING_PROBABILITIES, 0, probabilities, capacity}};
  args.outputs = outputs;
  args.n_outputs = probabilities != nullptr ? 3 : 2;
  lffn_status status = lffn_model_run(model, &args);
  if (status == LFFN_ERROR_TOO_SMALL) {
    args.n_outputs = 1;
    args.top_k = 0;
    if (lffn_model_run(model, &args) != LFFN_OK) return LFFN_ERROR_INTERNAL;
  }
  if (status == LFFN_OK || status == LFFN_ERROR_TOO_SMALL) *n_masks = masks[1];
  return status;
}

// The model's tokenizer on one text; begins and ends may be nullptr. n_ids is told even where there is too little room.
inline lffn_status tokenize(const lffn_model* model, const char* utf8, size_t n_bytes, uint32_t flags, int32_t* ids,
                            int64_t* begins, int64_t* ends, int64_t capacity, int64_t* n_ids) {
  lffn_tokenizer* tokenizer = nullptr;
  lffn_status status = lffn_model_tokenizer(model, &tokenizer);
  if (status != LFFN_OK) return status;
  lffn_tokenizer_encode_args args;
  lffn_tokenizer_encode_args_init(&args);
  args.n = 1;
  args.texts = &utf8;
  args.text_sizes = &n_bytes;
  args.flags = flags;
  int64_t offsets[2] = {};
  lffn_output outputs[4] = {{LFFN_OUT_TOKEN_OFFSETS, 0, offsets, 2}};
  args.outputs = outputs;
  args.n_outputs = 1;
  if (ids != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_TOKEN_IDS, 0, ids, capacity};
  if (begins != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_TOKEN_BEGINS, 0, begins, capacity};
  if (ends != nullptr) outputs[args.n_outputs++] = {LFFN_OUT_TOKEN_ENDS, 0, ends, capacity};
  status = lffn_tokenizer_encode(tokenizer, &args);
  if (status == LFFN_ERROR_TOO_SMALL) {
    args.n_outputs = 1;
    if (lffn_tokenizer_encode(tokenizer, &args) != LFFN_OK) status = LFFN_ERROR_INTERNAL;
  }
  if (status == LFFN_OK || status == LFFN_ERROR_TOO_SMALL) *n_ids = offsets[1];
  lffn_tokenizer_free(tokenizer);
  return status;
}

// A tokenizer on one sequence. n_bytes, without the zero byte behind the text, is told even where there is too little
// room; utf8 needs none for that zero byte.
inline lffn_status decode(const lffn_tokenizer* tokenizer, const int32_t* ids, int64_t n_ids, uint32_t flags,
                          char* utf8, size_t capacity, size_t* n_bytes) {
  lffn_result* result = nullptr;
  lffn_status status = lffn_result_create(&result);
  if (status != LFFN_OK) return status;
  const int64_t offsets[] = {0, n_ids};
  const lffn_output output = {LFFN_OUT_DECODED, 0, nullptr, 0};
  lffn_tokenizer_decode_args args;
  lffn_tokenizer_decode_args_init(&args);
  args.n = 1;
  args.ids = ids;
  args.offsets = offsets;
  args.flags = flags;
  args.outputs = &output;
  args.n_outputs = 1;
  args.result = result;
  lffn_array text = {};
  status = lffn_tokenizer_decode(tokenizer, &args);
  if (status == LFFN_OK) status = lffn_result_array(result, LFFN_OUT_DECODED, &text);
  if (status == LFFN_OK) {
    *n_bytes = static_cast<size_t>(text.rows) - 1;
    if (*n_bytes > capacity && utf8 != nullptr) status = LFFN_ERROR_TOO_SMALL;
    if (status == LFFN_OK && utf8 != nullptr) std::memcpy(utf8, text.data, *n_bytes);
  }
  lffn_result_free(result);
  return status;
}

inline lffn_status detokenize(const lffn_model* model, const int32_t* ids, int64_t n_ids, uint32_t flags, char* utf8,
                              size_t capacity, size_t* n_bytes) {
  lffn_tokenizer* tokenizer = nullptr;
  lffn_status status = lffn_model_tokenizer(model, &tokenizer);
  if (status != LFFN_OK) return status;
  status = decode(tokenizer, ids, n_ids, flags, utf8, capacity, n_bytes);
  lffn_tokenizer_free(tokenizer);
  return status;
}

}  // namespace short_calls
