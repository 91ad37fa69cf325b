// SPDX-License-Identifier: Apache-2.0
#include "java_calls.h"
#include "java_copies.h"
#include "raw.h"
#include "raw_model.h"
#include "raw_structs.h"

lffn_status tokenizer_encode_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, jbyteArray utf8, jbyteArray pair,
                                   int32_t flags, int64_t max_tokens, jobjectArray results, const int32_t* cancel) {
  const size_t n_bytes = length_of(env, utf8), pair_bytes = pair == nullptr ? 0 : length_of(env, pair);
  const size_t wanted = length_of(env, results);
  const bool spans = wanted >= 3, types = wanted >= 5;
  const Block<char> text(n_bytes), pair_copy(pair_bytes);
  if (text.data() == nullptr || pair_copy.data() == nullptr) return out_of_memory(env);
  if (!fetch(env, utf8, n_bytes, text.data()) || (pair != nullptr && !fetch(env, pair, pair_bytes, pair_copy.data()))) {
    return LFFN_OK;
  }
  // Tokens are mostly longer than a byte, and a text may get one at each end.
  for (size_t capacity = n_bytes + pair_bytes + 3;;) {
    const Block<int32_t> ids(capacity), type(types ? capacity : 0);
    const Block<int64_t> begins(spans ? capacity : 0), ends(spans ? capacity : 0);
    if (ids.data() == nullptr || type.data() == nullptr || begins.data() == nullptr || ends.data() == nullptr) {
      return out_of_memory(env);
    }
    size_t n_ids = 0;
    int64_t uncut = 0;
    const lffn_status status =
        tokenizer_encode(tokenizer, text.data(), n_bytes, pair == nullptr ? nullptr : pair_copy.data(), pair_bytes,
                         flags, max_tokens, ids.data(), types ? type.data() : nullptr, spans ? begins.data() : nullptr,
                         spans ? ends.data() : nullptr, capacity, &n_ids, types ? &uncut : nullptr, cancel);
    if (status != LFFN_OK) return status;
    if (n_ids > capacity) {
      capacity = n_ids;
      continue;
    }
    if (store_ints(env, results, 0, ids.data(), n_ids) && spans && store_longs(env, results, 1, begins.data(), n_ids) &&
        store_longs(env, results, 2, ends.data(), n_ids) && types && store_ints(env, results, 3, type.data(), n_ids)) {
      store_longs(env, results, 4, &uncut, 1);
    }
    return LFFN_OK;
  }
}

lffn_status tokenizer_encode_arrays(JNIEnv* env, const lffn_tokenizer* tokenizer, jbyteArray utf8, jlongArray ends,
                                    int32_t n, int32_t flags, int64_t max_tokens, int32_t num_threads,
                                    lffn_result* result, const int32_t* cancel) {
  const TextsOfArrays texts(env, utf8, ends, n);
  if (!texts.fetched()) return no_arrays(env);
  return tokenizer_encode_texts(tokenizer, texts.utf8(), texts.ends(), n, flags, max_tokens, num_threads, result,
                                cancel);
}

lffn_status tokenizer_decode_ids(JNIEnv* env, const lffn_tokenizer* tokenizer, jintArray ids, int32_t flags,
                                 jobjectArray results) {
  const size_t n_ids = length_of(env, ids);
  const Block<int32_t> copy(n_ids);
  if (copy.data() == nullptr) return out_of_memory(env);
  if (!fetch(env, ids, n_ids, copy.data())) return LFFN_OK;
  for (size_t capacity = 8 * n_ids + 64;;) {
    const Block<char> text(capacity);
    if (text.data() == nullptr) return out_of_memory(env);
    size_t n_bytes = 0;
    const lffn_status status = tokenizer_decode(tokenizer, copy.data(), n_ids, flags, text.data(), capacity, &n_bytes);
    if (status != LFFN_OK) return status;
    if (n_bytes <= capacity) {
      store_bytes(env, results, 0, text.data(), n_bytes);
      return LFFN_OK;
    }
    capacity = n_bytes;
  }
}

lffn_status tokenizer_decode_arrays(JNIEnv* env, const lffn_tokenizer* tokenizer, jintArray ids, jlongArray offsets,
                                    int32_t n, int32_t flags, jobjectArray results) {
  jlong last = 0;
  env->GetLongArrayRegion(offsets, n, 1, &last);
  if (env->ExceptionCheck()) return LFFN_OK;
  const auto n_ids = static_cast<size_t>(last), n_offsets = static_cast<size_t>(n) + 1;
  const Block<int32_t> id_copy(n_ids);
  const Block<int64_t> offset_copy(n_offsets);
  if (id_copy.data() == nullptr || offset_copy.data() == nullptr) return out_of_memory(env);
  if (!fetch(env, ids, n_ids, id_copy.data()) || !fetch(env, offsets, n_offsets, offset_copy.data())) return LFFN_OK;
  const Result result;
  if (result.status() != LFFN_OK) return result.status();
  const lffn_status status =
      tokenizer_decode_batch(tokenizer, id_copy.data(), offset_copy.data(), n, flags, result.get());
  if (status != LFFN_OK) return status;
  const auto* const texts = static_cast<const char*>(result_array(result.get(), LFFN_OUT_DECODED));
  const auto* const ends = static_cast<const int64_t*>(result_array(result.get(), LFFN_OUT_DECODED_OFFSETS));
  for (jsize i = 0; i < n; ++i) {
    const auto size = static_cast<size_t>(ends[i + 1] - ends[i] - 1);  // without the zero byte behind it
    if (!store_bytes(env, results, i, texts + ends[i], size)) break;
  }
  return LFFN_OK;
}

lffn_status tokenizer_find_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, jbyteArray utf8, jobjectArray results) {
  const size_t n_bytes = length_of(env, utf8);
  const Block<char> text(n_bytes);
  if (text.data() == nullptr) return out_of_memory(env);
  if (!fetch(env, utf8, n_bytes, text.data())) return LFFN_OK;
  int32_t id = -1;
  const lffn_status status = tokenizer_find(tokenizer, text.data(), n_bytes, &id);
  if (status == LFFN_OK) store_ints(env, results, 0, &id, 1);
  return status;
}

lffn_status tokenizer_token_bytes(JNIEnv* env, const lffn_tokenizer* tokenizer, int32_t id, jobjectArray results) {
  const char* token = nullptr;
  size_t n_bytes = 0;
  const lffn_status status = tokenizer_token(tokenizer, id, &token, &n_bytes);
  if (status == LFFN_OK && token != nullptr) store_bytes(env, results, 0, token, n_bytes);
  return status;
}
