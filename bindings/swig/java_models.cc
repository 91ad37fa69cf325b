#include "java_models.h"

#include <cstdlib>

#include "java_arrays.h"
#include "raw.h"
#include "raw_model.h"

namespace {

// Memory for the length of one call; data() is null if there is none.
template <typename T>
class Block {
 public:
  explicit Block(size_t count) : data_(static_cast<T*>(std::calloc(count + 1, sizeof(T)))) {}
  ~Block() { std::free(data_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  T* data() const { return data_; }

 private:
  T* data_;
};

// Every path that leaves a Java exception behind returns LFFN_OK, so that none is thrown over it.
lffn_status out_of_memory(JNIEnv* env) {
  throw_status(env, LFFN_ERROR_OUT_OF_MEMORY, "no memory for a copy of the arrays");
  return LFFN_OK;
}

size_t length_of(JNIEnv* env, jarray array) { return static_cast<size_t>(env->GetArrayLength(array)); }

// Puts a new Java array of `count` elements into results[place]; false leaves an exception behind.
template <typename Array, typename Element, typename T>
bool store(JNIEnv* env, jobjectArray results, jsize place, const T* values, size_t count, Array (JNIEnv::*make)(jsize),
           void (JNIEnv::*set)(Array, jsize, jsize, const Element*)) {
  static_assert(sizeof(T) == sizeof(Element), "an element is copied as it is");
  if (count > static_cast<size_t>(INT32_MAX)) {
    throw_status(env, LFFN_ERROR_INVALID_ARGUMENT, "the result is larger than a Java array can be");
    return false;
  }
  Array array = (env->*make)(static_cast<jsize>(count));
  if (array == nullptr) return false;
  (env->*set)(array, 0, static_cast<jsize>(count), reinterpret_cast<const Element*>(values));
  if (env->ExceptionCheck()) return false;
  env->SetObjectArrayElement(results, place, array);
  env->DeleteLocalRef(array);
  return !env->ExceptionCheck();
}

bool store_ints(JNIEnv* env, jobjectArray results, jsize place, const int32_t* values, size_t count) {
  return store(env, results, place, values, count, &JNIEnv::NewIntArray, &JNIEnv::SetIntArrayRegion);
}

bool store_longs(JNIEnv* env, jobjectArray results, jsize place, const int64_t* values, size_t count) {
  return store(env, results, place, values, count, &JNIEnv::NewLongArray, &JNIEnv::SetLongArrayRegion);
}

// Adds up the sizes of the results, or copies the output into them part by part.
bool spread(JNIEnv* env, jobjectArray results, const float* output, size_t* total) {
  *total = 0;
  const jsize count = env->GetArrayLength(results);
  for (jsize i = 0; i < count; ++i) {
    jfloatArray result = static_cast<jfloatArray>(env->GetObjectArrayElement(results, i));
    if (env->ExceptionCheck()) return false;
    const jsize size = env->GetArrayLength(result);
    if (output != nullptr) {
      env->SetFloatArrayRegion(result, 0, size, output + *total);
      if (env->ExceptionCheck()) return false;
    }
    env->DeleteLocalRef(result);
    *total += static_cast<size_t>(size);
  }
  return true;
}

}  // namespace

lffn_status model_run_arrays(JNIEnv* env, const lffn_model* model, jintArray ids, jlongArray offsets, int32_t output,
                             jlongArray positions, int32_t pooling, int32_t normalize, jobjectArray results,
                             const int32_t* cancel) {
  const size_t n_ids = length_of(env, ids), n_offsets = length_of(env, offsets);
  const size_t n_positions = length_of(env, positions);
  size_t total = 0;
  if (!spread(env, results, nullptr, &total)) return LFFN_OK;
  const Block<int32_t> id_copy(n_ids);
  const Block<int64_t> offset_copy(n_offsets), position_copy(n_positions);
  const Block<float> values(total);
  if (id_copy.data() == nullptr || offset_copy.data() == nullptr || position_copy.data() == nullptr ||
      values.data() == nullptr) {
    return out_of_memory(env);
  }
  env->GetIntArrayRegion(ids, 0, static_cast<jsize>(n_ids), reinterpret_cast<jint*>(id_copy.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  env->GetLongArrayRegion(offsets, 0, static_cast<jsize>(n_offsets), reinterpret_cast<jlong*>(offset_copy.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  env->GetLongArrayRegion(positions, 0, static_cast<jsize>(n_positions),
                          reinterpret_cast<jlong*>(position_copy.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  const lffn_status status = model_run(model, id_copy.data(), offset_copy.data(), static_cast<int64_t>(n_offsets) - 1,
                                       output, position_copy.data(), static_cast<int64_t>(n_positions), pooling,
                                       normalize, values.data(), static_cast<int64_t>(total), cancel);
  if (status == LFFN_OK) spread(env, results, values.data(), &total);
  return status;
}

lffn_status model_run_text_arrays(JNIEnv* env, const lffn_model* model, jbyteArray utf8, jlongArray ends,
                                  int32_t output, int64_t max_tokens, int32_t prompt_kind, jbyteArray prompt,
                                  int32_t pooling, int32_t normalize, jobjectArray results, const int32_t* cancel) {
  const size_t n_bytes = length_of(env, utf8), n_texts = length_of(env, ends);
  const size_t prompt_bytes = prompt == nullptr ? 0 : length_of(env, prompt);
  size_t total = 0;
  if (!spread(env, results, nullptr, &total)) return LFFN_OK;
  const Block<char> text(n_bytes), prompt_copy(prompt_bytes);
  const Block<int64_t> end_copy(n_texts);
  const Block<float> values(total);
  if (text.data() == nullptr || prompt_copy.data() == nullptr || end_copy.data() == nullptr ||
      values.data() == nullptr) {
    return out_of_memory(env);
  }
  env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(n_bytes), reinterpret_cast<jbyte*>(text.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  env->GetLongArrayRegion(ends, 0, static_cast<jsize>(n_texts), reinterpret_cast<jlong*>(end_copy.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  if (prompt != nullptr) {
    env->GetByteArrayRegion(prompt, 0, static_cast<jsize>(prompt_bytes), reinterpret_cast<jbyte*>(prompt_copy.data()));
    if (env->ExceptionCheck()) return LFFN_OK;
  }
  const lffn_status status = model_run_texts(model, text.data(), end_copy.data(), static_cast<int64_t>(n_texts), output,
                                             max_tokens, prompt_kind, prompt_copy.data(), pooling, normalize,
                                             values.data(), static_cast<int64_t>(total), cancel);
  if (status == LFFN_OK) spread(env, results, values.data(), &total);
  return status;
}

lffn_status model_tokenize_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t flags,
                                 int64_t max_tokens, jobjectArray results) {
  const size_t n_bytes = length_of(env, utf8);
  const bool spans = length_of(env, results) == 3;
  const Block<char> text(n_bytes);
  if (text.data() == nullptr) return out_of_memory(env);
  env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(n_bytes), reinterpret_cast<jbyte*>(text.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  // Tokens are mostly longer than a byte, and a text may get one at each end.
  for (size_t capacity = n_bytes + 2;;) {
    const Block<int32_t> ids(capacity);
    const Block<int64_t> begins(spans ? capacity : 0), ends(spans ? capacity : 0);
    if (ids.data() == nullptr || begins.data() == nullptr || ends.data() == nullptr) return out_of_memory(env);
    size_t n_ids = 0;
    const lffn_status status =
        model_tokenize(model, text.data(), n_bytes, flags, max_tokens, ids.data(), spans ? begins.data() : nullptr,
                       spans ? ends.data() : nullptr, capacity, &n_ids);
    if (status != LFFN_OK) return status;
    if (n_ids > capacity) {
      capacity = n_ids;
      continue;
    }
    if (store_ints(env, results, 0, ids.data(), n_ids) && spans && store_longs(env, results, 1, begins.data(), n_ids)) {
      store_longs(env, results, 2, ends.data(), n_ids);
    }
    return LFFN_OK;
  }
}

lffn_status model_detokenize_ids(JNIEnv* env, const lffn_model* model, jintArray ids, int32_t flags,
                                 jobjectArray results) {
  const size_t n_ids = length_of(env, ids);
  const Block<int32_t> copy(n_ids);
  if (copy.data() == nullptr) return out_of_memory(env);
  env->GetIntArrayRegion(ids, 0, static_cast<jsize>(n_ids), reinterpret_cast<jint*>(copy.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  for (size_t capacity = 8 * n_ids + 64;;) {
    const Block<char> text(capacity);
    if (text.data() == nullptr) return out_of_memory(env);
    size_t n_bytes = 0;
    const lffn_status status = model_detokenize(model, copy.data(), n_ids, flags, text.data(), capacity, &n_bytes);
    if (status != LFFN_OK) return status;
    if (n_bytes <= capacity) {
      store(env, results, 0, text.data(), n_bytes, &JNIEnv::NewByteArray, &JNIEnv::SetByteArrayRegion);
      return LFFN_OK;
    }
    capacity = n_bytes;
  }
}

lffn_status model_fill_mask_bytes(JNIEnv* env, const lffn_model* model, jbyteArray utf8, int32_t top_k,
                                  jobjectArray results) {
  const size_t n_bytes = length_of(env, utf8);
  const auto k = static_cast<size_t>(top_k);
  const Block<char> text(n_bytes);
  if (text.data() == nullptr) return out_of_memory(env);
  env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(n_bytes), reinterpret_cast<jbyte*>(text.data()));
  if (env->ExceptionCheck()) return LFFN_OK;
  // Counting the masks takes the tokenizer only.
  size_t n_masks = 0;
  lffn_status status = model_fill_mask(model, text.data(), n_bytes, top_k, nullptr, nullptr, 0, &n_masks);
  if (status != LFFN_OK) return status;
  const size_t count = n_masks * k;
  const Block<int32_t> ids(count);
  const Block<float> probabilities(count);
  if (ids.data() == nullptr || probabilities.data() == nullptr) return out_of_memory(env);
  status = model_fill_mask(model, text.data(), n_bytes, top_k, ids.data(), probabilities.data(), n_masks, &n_masks);
  if (status == LFFN_OK && store_ints(env, results, 0, ids.data(), count)) {
    store(env, results, 1, probabilities.data(), count, &JNIEnv::NewFloatArray, &JNIEnv::SetFloatArrayRegion);
  }
  return status;
}
