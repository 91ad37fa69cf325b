// SPDX-License-Identifier: Apache-2.0
// A call's memory for copies; copies out of Java arrays; and results as new Java arrays.
#ifndef LOOKUPFFN_BINDINGS_JAVA_COPIES_H
#define LOOKUPFFN_BINDINGS_JAVA_COPIES_H

#include <jni.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "java_calls.h"
#include "java_scratch.h"

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
inline lffn_status out_of_memory(JNIEnv* env) {
  throw_status(env, LFFN_ERROR_OUT_OF_MEMORY, "no memory for a copy of the arrays");
  return LFFN_OK;
}

// Virtual machines throw if they have no memory for the elements, but this code does not rely on it.
inline lffn_status no_arrays(JNIEnv* env) { return env->ExceptionCheck() ? LFFN_OK : out_of_memory(env); }

inline size_t length_of(JNIEnv* env, jarray array) { return static_cast<size_t>(env->GetArrayLength(array)); }

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

inline bool store_ints(JNIEnv* env, jobjectArray results, jsize place, const int32_t* values, size_t count) {
  return store(env, results, place, values, count, &JNIEnv::NewIntArray, &JNIEnv::SetIntArrayRegion);
}

inline bool store_longs(JNIEnv* env, jobjectArray results, jsize place, const int64_t* values, size_t count) {
  return store(env, results, place, values, count, &JNIEnv::NewLongArray, &JNIEnv::SetLongArrayRegion);
}

inline bool store_floats(JNIEnv* env, jobjectArray results, jsize place, const float* values, size_t count) {
  return store(env, results, place, values, count, &JNIEnv::NewFloatArray, &JNIEnv::SetFloatArrayRegion);
}

inline bool store_bytes(JNIEnv* env, jobjectArray results, jsize place, const char* values, size_t count) {
  return store(env, results, place, values, count, &JNIEnv::NewByteArray, &JNIEnv::SetByteArrayRegion);
}

// Copies the first `count` elements; false leaves an exception behind, also when the array has fewer.
inline bool fetch(JNIEnv* env, jbyteArray from, size_t count, char* to) {
  env->GetByteArrayRegion(from, 0, static_cast<jsize>(count), reinterpret_cast<jbyte*>(to));
  return !env->ExceptionCheck();
}

inline bool fetch(JNIEnv* env, jfloatArray from, size_t count, float* to) {
  env->GetFloatArrayRegion(from, 0, static_cast<jsize>(count), to);
  return !env->ExceptionCheck();
}

inline bool fetch(JNIEnv* env, jlongArray from, size_t count, int64_t* to) {
  env->GetLongArrayRegion(from, 0, static_cast<jsize>(count), reinterpret_cast<jlong*>(to));
  return !env->ExceptionCheck();
}

inline bool fetch(JNIEnv* env, jintArray from, size_t count, int32_t* to) {
  env->GetIntArrayRegion(from, 0, static_cast<jsize>(count), reinterpret_cast<jint*>(to));
  return !env->ExceptionCheck();
}

// A copy of an array; empty if the array is null.
template <typename Array, typename T>
class Copy {
 public:
  Copy(JNIEnv* env, Array from)
      : count_(from == nullptr ? 0 : length_of(env, from)), block_(count_), null_(from == nullptr) {
    fetched_ = null_ || (block_.data() != nullptr && fetch(env, from, count_, reinterpret_cast<T*>(block_.data())));
  }
  bool fetched() const { return fetched_; }
  const T* data() const { return null_ ? nullptr : block_.data(); }
  T* mutable_data() const { return null_ ? nullptr : block_.data(); }
  int64_t count() const { return static_cast<int64_t>(count_); }

 private:
  size_t count_;
  Block<T> block_;
  bool null_, fetched_;
};

// How many bytes texts have that lie end to end: null texts, whose end is negative, have none. False leaves an
// exception behind.
inline bool bytes_of_texts(JNIEnv* env, jlongArray ends, int32_t n, size_t& n_bytes) {
  jlong end = -1;
  for (jsize i = n; end < 0 && i > 0; --i) {
    env->GetLongArrayRegion(ends, i - 1, 1, &end);
    if (env->ExceptionCheck()) return false;
  }
  n_bytes = end < 0 ? 0 : static_cast<size_t>(end);
  return true;
}

// A copy of texts that lie end to end, as long as the object lives.
class TextsOfArrays {
 public:
  TextsOfArrays(JNIEnv* env, jbyteArray utf8, jlongArray ends, int32_t n)
      : told_(bytes_of_texts(env, ends, n, n_bytes_)), utf8_(n_bytes_), ends_(static_cast<size_t>(n)) {
    fetched_ = told_ && utf8_.data() != nullptr && ends_.data() != nullptr &&
               fetch(env, utf8, n_bytes_, utf8_.data()) && fetch(env, ends, static_cast<size_t>(n), ends_.data());
  }
  bool fetched() const { return fetched_; }  // else there is an exception, or no memory: no_arrays
  const char* utf8() const { return utf8_.data(); }
  int64_t* ends() const { return ends_.data(); }

 private:
  size_t n_bytes_ = 0;
  bool told_;
  Block<char> utf8_;
  Block<int64_t> ends_;
  bool fetched_ = false;
};

#endif  // LOOKUPFFN_BINDINGS_JAVA_COPIES_H
