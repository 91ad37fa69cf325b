// SPDX-License-Identifier: Apache-2.0
// The calls that tests make most, as short forms of lffn_model_run and lffn_tokenizer_encode. Arrays are as long as the
// results: capacities are the business of tests of their own.
#pragma once

#include <cstdint>
#include <limits>

#include "lookupffn/lookupffn.h"

namespace short_calls {

constexpr int64_t kRoom = std::numeric_limits<int64_t>::max();

inline lffn_model_run_args args_of(const int32_t* ids, const int64_t* offsets, int64_t n) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.ids = ids;
  args.offsets = offsets;
  args.n = n;
  args.hidden_capacity = args.embeddings_capacity = args.logits_capacity = args.class_scores_capacity = kRoom;
  return args;
}

inline lffn_status encode(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                          float* hidden) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  args.hidden = hidden;
  return lffn_model_run(model, &args);
}

inline lffn_status logits(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                          const int64_t* positions, int64_t n_positions, float* out) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  args.positions = positions;
  args.n_positions = n_positions;
  args.logits = out;
  return lffn_model_run(model, &args);
}

inline lffn_status classify(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                            float* scores) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  args.class_scores = scores;
  return lffn_model_run(model, &args);
}

inline lffn_status embed(const lffn_model* model, const int32_t* ids, const int64_t* offsets, int64_t n,
                         int32_t pooling, int32_t normalize, float* out) {
  lffn_model_run_args args = args_of(ids, offsets, n);
  args.pooling = pooling;
  args.normalize = normalize;
  args.embeddings = out;
  return lffn_model_run(model, &args);
}

inline lffn_status classify_texts(const lffn_model* model, const char* const* texts, const size_t* sizes, int64_t n,
                                  int64_t max_tokens, float* scores, int64_t capacity) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.texts = texts;
  args.text_sizes = sizes;
  args.n = n;
  args.max_tokens = max_tokens;
  args.class_scores = scores;
  args.class_scores_capacity = capacity;
  return lffn_model_run(model, &args);
}

// Never cuts the text.
inline lffn_status fill_mask(const lffn_model* model, const char* utf8, size_t n_bytes, int32_t top_k, int32_t* ids,
                             float* probabilities, int64_t capacity, int64_t* n_masks) {
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.texts = &utf8;
  args.text_sizes = &n_bytes;
  args.n = 1;
  args.max_tokens = LFFN_MAX_TOKENS_NEVER;
  args.top_k = top_k;
  args.filling_ids = ids;
  args.filling_probabilities = probabilities;
  args.fillings_capacity = capacity;
  args.n_masks = n_masks;
  return lffn_model_run(model, &args);
}

// The model's tokenizer on one text; begins and ends may be nullptr.
inline lffn_status tokenize(const lffn_model* model, const char* utf8, size_t n_bytes, uint32_t flags, int32_t* ids,
                            int64_t* begins, int64_t* ends, int64_t capacity, int64_t* n_ids) {
  lffn_tokenizer* tokenizer = nullptr;
  lffn_status status = lffn_model_tokenizer(model, &tokenizer);
  if (status != LFFN_OK) return status;
  lffn_tokenize_args args;
  lffn_tokenize_args_init(&args);
  args.text = utf8;
  args.text_size = n_bytes;
  args.flags = flags;
  args.ids = ids;
  args.begins = begins;
  args.ends = ends;
  args.capacity = capacity;
  args.n_ids = n_ids;
  status = lffn_tokenizer_encode(tokenizer, &args);
  lffn_tokenizer_free(tokenizer);
  return status;
}

inline lffn_status detokenize(const lffn_model* model, const int32_t* ids, int64_t n_ids, uint32_t flags, char* utf8,
                              size_t capacity, size_t* n_bytes) {
  lffn_tokenizer* tokenizer = nullptr;
  lffn_status status = lffn_model_tokenizer(model, &tokenizer);
  if (status != LFFN_OK) return status;
  status = lffn_tokenizer_decode(tokenizer, ids, n_ids, flags, utf8, capacity, n_bytes);
  lffn_tokenizer_free(tokenizer);
  return status;
}

}  // namespace short_calls
