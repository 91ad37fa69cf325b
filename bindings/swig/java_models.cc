// SPDX-License-Identifier: Apache-2.0
#include "java_calls.h"
#include "java_copies.h"
#include "raw.h"
#include "raw_model.h"

namespace {

// One piece of scratch memory after another, each aligned.
class Pieces {
 public:
  explicit Pieces(char* memory) : at_(memory) {}
  template <typename T>
  T* next(size_t count) {
    T* piece = reinterpret_cast<T*>(at_);
    at_ += room<T>(count);
    return piece;
  }
  // Room for one element more than asked for, so that no piece is empty.
  template <typename T>
  static size_t room(size_t count) {
    return padded((count + 1) * sizeof(T));
  }

 private:
  char* at_;
};

template <typename Array, typename Element>
lffn_status copy(JNIEnv* env, const lffn_result* result, int32_t what, Array to,
                 void (JNIEnv::*set)(Array, jsize, jsize, const Element*)) {
  const void* const from = result_array(result, what);
  const jsize count = env->GetArrayLength(to);
  if (count > 0 && from == nullptr) {
    throw_status(env, LFFN_ERROR_INTERNAL, "the result lacks an array that was wanted");
  } else if (count > 0) {
    (env->*set)(to, 0, count, static_cast<const Element*>(from));
  }
  return LFFN_OK;
}

}  // namespace

lffn_status model_run_arrays(JNIEnv* env, const lffn_model* model, jintArray ids, jlongArray offsets, int32_t n,
                             int32_t output, jlongArray positions, int32_t n_positions, const int32_t* run_options,
                             jfloatArray array, float* buffer, int32_t at, int32_t capacity, const int32_t* cancel,
                             lffn_run_progress_callback run_progress, void* run_progress_user) {
  jlong last = 0;
  env->GetLongArrayRegion(offsets, n, 1, &last);
  if (env->ExceptionCheck()) return LFFN_OK;
  const auto n_ids = static_cast<size_t>(last), n_offsets = static_cast<size_t>(n) + 1;
  const auto n_places = static_cast<size_t>(n_positions);
  const size_t n_values = buffer == nullptr ? static_cast<size_t>(capacity) : 0;
  const Scratch scratch(Pieces::room<int32_t>(n_ids) + Pieces::room<int64_t>(n_offsets) +
                        Pieces::room<int64_t>(n_places) + Pieces::room<float>(n_values));
  if (scratch.memory() == nullptr) return out_of_memory(env);
  Pieces pieces(scratch.memory());
  int32_t* const id_copy = pieces.next<int32_t>(n_ids);
  int64_t* const offset_copy = pieces.next<int64_t>(n_offsets);
  int64_t* const place_copy = pieces.next<int64_t>(n_places);
  float* const values = buffer == nullptr ? pieces.next<float>(n_values) : buffer + at;
  if (!fetch(env, ids, n_ids, id_copy) || !fetch(env, offsets, n_offsets, offset_copy) ||
      !fetch(env, positions, n_places, place_copy)) {
    return LFFN_OK;
  }
  const lffn_status status = model_run(model, id_copy, offset_copy, n, output, place_copy, n_positions, run_options,
                                       values, capacity, cancel, run_progress, run_progress_user);
  if (status == LFFN_OK && buffer == nullptr) env->SetFloatArrayRegion(array, at, capacity, values);
  return status;
}

lffn_status model_run_text_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                  jbyteArray query, int32_t output, const int32_t* run_options, int64_t max_tokens,
                                  jbyteArray prompt, jfloatArray array, float* buffer, int32_t at, int32_t capacity,
                                  jlongArray counts, lffn_result* result, const int32_t* cancel,
                                  lffn_run_progress_callback run_progress, void* run_progress_user) {
  const auto n_texts = static_cast<size_t>(n);
  size_t n_bytes = 0;
  if (!bytes_of_texts(env, ends, n, n_bytes)) return LFFN_OK;
  const size_t query_bytes = query == nullptr ? 0 : length_of(env, query);
  const size_t prompt_bytes = prompt == nullptr ? 0 : length_of(env, prompt);
  const size_t n_values = array == nullptr ? 0 : static_cast<size_t>(capacity);
  const Scratch scratch(Pieces::room<char>(n_bytes) + Pieces::room<char>(query_bytes) +
                        Pieces::room<char>(prompt_bytes) + Pieces::room<int64_t>(n_texts) +
                        Pieces::room<int64_t>(2 * n_texts + 1) + Pieces::room<float>(n_values));
  if (scratch.memory() == nullptr) return out_of_memory(env);
  Pieces pieces(scratch.memory());
  char* const text = pieces.next<char>(n_bytes);
  char* const query_copy = pieces.next<char>(query_bytes);
  char* const prompt_copy = pieces.next<char>(prompt_bytes);
  int64_t* const end_copy = pieces.next<int64_t>(n_texts);
  int64_t* const count_copy = pieces.next<int64_t>(2 * n_texts + 1);
  float* values = pieces.next<float>(n_values);
  if (array == nullptr) values = buffer == nullptr ? nullptr : buffer + at;
  if (!fetch(env, utf8, n_bytes, text) || !fetch(env, ends, n_texts, end_copy) ||
      (query != nullptr && !fetch(env, query, query_bytes, query_copy)) ||
      (prompt != nullptr && !fetch(env, prompt, prompt_bytes, prompt_copy))) {
    return LFFN_OK;
  }
  const lffn_status status =
      model_run_texts(model, text, end_copy, n, query == nullptr ? nullptr : query_copy,
                      static_cast<int64_t>(query_bytes), output, run_options, max_tokens, prompt_copy, values, capacity,
                      count_copy, count_copy + n_texts + 1, result, cancel, run_progress, run_progress_user);
  if (status != LFFN_OK) return status;
  env->SetLongArrayRegion(counts, 0, static_cast<jsize>(2 * n_texts + 1), reinterpret_cast<jlong*>(count_copy));
  if (!env->ExceptionCheck() && array != nullptr) env->SetFloatArrayRegion(array, at, capacity, values);
  return LFFN_OK;
}

lffn_status model_run_result_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends, int32_t n,
                                    const int32_t* run_options, int64_t max_tokens, jbyteArray prompt, int32_t wanted,
                                    lffn_result* result, const int32_t* cancel, lffn_run_progress_callback run_progress,
                                    void* run_progress_user) {
  const TextsOfArrays texts(env, utf8, ends, n);
  const size_t prompt_bytes = prompt == nullptr ? 0 : length_of(env, prompt);
  const Block<char> prompt_copy(prompt_bytes);
  if (!texts.fetched()) return no_arrays(env);
  if (prompt_copy.data() == nullptr) return out_of_memory(env);
  if (prompt != nullptr && !fetch(env, prompt, prompt_bytes, prompt_copy.data())) return LFFN_OK;
  return model_run_into_result(model, texts.utf8(), texts.ends(), n, run_options, max_tokens, prompt_copy.data(),
                               wanted, result, cancel, run_progress, run_progress_user);
}

lffn_status model_tokenize_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t flags,
                                 int64_t max_tokens, jobjectArray results, const int32_t* cancel) {
  const ModelTokenizer tokenizer(model);
  if (tokenizer.status() != LFFN_OK) return tokenizer.status();
  return tokenizer_encode_bytes(env, tokenizer.get(), utf8, nullptr, flags, max_tokens, results, cancel);
}

lffn_status model_detokenize_ids(JNIEnv* env, const lffn_model* model, jintArray ids, int32_t flags,
                                 jobjectArray results) {
  const ModelTokenizer tokenizer(model);
  if (tokenizer.status() != LFFN_OK) return tokenizer.status();
  return tokenizer_decode_ids(env, tokenizer.get(), ids, flags, results);
}

lffn_status model_fill_mask_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t top_k,
                                  jobjectArray results, const int32_t* cancel) {
  const size_t n_bytes = length_of(env, utf8);
  const auto k = static_cast<size_t>(top_k);
  const Block<char> text(n_bytes);
  if (text.data() == nullptr) return out_of_memory(env);
  env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(n_bytes), reinterpret_cast<jbyte*>(text.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  // Counting the masks takes the tokenizer only.
  size_t n_masks = 0;
  lffn_status status = model_fill_mask(model, text.data(), n_bytes, top_k, nullptr, nullptr, 0, &n_masks, cancel);
  if (status != LFFN_OK) return status;
  const size_t count = n_masks * k;
  const Block<int32_t> ids(count);
  const Block<float> probabilities(count);
  if (ids.data() == nullptr || probabilities.data() == nullptr) return out_of_memory(env);
  if (n_masks > 0) {
    status = model_fill_mask(model, text.data(), n_bytes, top_k, ids.data(), probabilities.data(), n_masks, &n_masks,
                             cancel);
  }
  if (status == LFFN_OK && store_ints(env, results, 0, ids.data(), count)) {
    store(env, results, 1, probabilities.data(), count, &JNIEnv::NewFloatArray, &JNIEnv::SetFloatArrayRegion);
  }
  return status;
}

lffn_status result_longs(JNIEnv* env, const lffn_result* result, int32_t what, jlongArray to) {
  return copy(env, result, what, to, &JNIEnv::SetLongArrayRegion);
}

lffn_status result_ints(JNIEnv* env, const lffn_result* result, int32_t what, jintArray to) {
  return copy(env, result, what, to, &JNIEnv::SetIntArrayRegion);
}

lffn_status result_floats(JNIEnv* env, const lffn_result* result, int32_t what, jfloatArray to) {
  return copy(env, result, what, to, &JNIEnv::SetFloatArrayRegion);
}

lffn_status result_bytes(JNIEnv* env, const lffn_result* result, int32_t what, jbyteArray to) {
  return copy(env, result, what, to, &JNIEnv::SetByteArrayRegion);
}
