// SPDX-License-Identifier: Apache-2.0
#include "java_results.h"

#include "java_calls.h"
#include "raw_model.h"

namespace {

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
