// SPDX-License-Identifier: Apache-2.0
#ifdef LFFN_WITH_OPENMP
#include <dlfcn.h>
#endif

#include <cstring>

#include "java_calls.h"
#include "java_copies.h"
#include "java_hooks.h"
#include "raw.h"

#ifdef LFFN_WITH_OPENMP
extern "C" int omp_get_max_threads(void);
#endif

namespace {

// Weak, because a strong reference would keep the class loader of a redeployed application alive for ever.
jweak exception_class;
jmethodID exception_factory;

// Keeps the OpenMP runtime loaded: its threads wait in its code, and this library, which is unmapped with its class
// loader, may be the only one that needs it.
void keep_openmp() {
#ifdef LFFN_WITH_OPENMP
  Dl_info runtime = {};
  if (dladdr(reinterpret_cast<void*>(&omp_get_max_threads), &runtime) != 0 && runtime.dli_fname != nullptr) {
    dlopen(runtime.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
#endif
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  keep_openmp();
  jclass found = env->FindClass("io/github/lookupffn/LookupFfnException");
  if (found == nullptr) return JNI_ERR;
  exception_factory = env->GetStaticMethodID(found, "of", "(I[B)Ljava/lang/RuntimeException;");
  if (exception_factory == nullptr) return JNI_ERR;
  exception_class = env->NewWeakGlobalRef(found);
  return exception_class == nullptr || !find_hooks(vm, env) ? JNI_ERR : JNI_VERSION_10;
}

// Called without SWIG's classes, which need a library that has been checked to be the right one.
extern "C" JNIEXPORT jint JNICALL Java_io_github_lookupffn_NativeLibrary_version(JNIEnv*, jclass) {
  return native_version();
}

extern "C" JNIEXPORT void JNICALL JNI_OnUnload(JavaVM* vm, void*) {
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) != JNI_OK) return;
  drop_hooks(env);
  env->DeleteWeakGlobalRef(exception_class);
  // The class loader is gone, and with it every call; the library is unmapped after this.
  lffn_shutdown_threads();
  free_scratch();
}

void throw_status(JNIEnv* env, lffn_status status, const char* text) {
  const auto length = static_cast<jsize>(std::strlen(text));
  jclass type = static_cast<jclass>(env->NewLocalRef(exception_class));
  if (type == nullptr) return;
  jbyteArray utf8 = env->NewByteArray(length);
  if (utf8 == nullptr) return;
  env->SetByteArrayRegion(utf8, 0, length, reinterpret_cast<const jbyte*>(text));
  if (env->ExceptionCheck()) return;
  jobject exception = env->CallStaticObjectMethod(type, exception_factory, static_cast<jint>(status), utf8);
  if (env->ExceptionCheck()) return;
  env->Throw(static_cast<jthrowable>(exception));
}

lffn_status layer_forward_arrays(JNIEnv* env, const lffn_layer* layer, jfloatArray x, int32_t x_offset, int32_t x_count,
                                 int64_t n_tokens, jfloatArray y, int32_t y_offset, int32_t y_count, int32_t flags,
                                 const int32_t* cancel) {
  const size_t x_bytes = padded(static_cast<size_t>(x_count) * sizeof(float));
  const Scratch scratch(x_bytes + padded(static_cast<size_t>(y_count) * sizeof(float)) + kAlignment);
  if (scratch.memory() == nullptr) return out_of_memory(env);
  float* x_copy = reinterpret_cast<float*>(scratch.memory());
  float* y_copy = reinterpret_cast<float*>(scratch.memory() + x_bytes);
  env->GetFloatArrayRegion(x, x_offset, x_count, x_copy);
  if (env->ExceptionCheck()) return LFFN_OK;
  if ((flags & LFFN_LAYER_RUN_ADD) != 0) {
    env->GetFloatArrayRegion(y, y_offset, y_count, y_copy);
    if (env->ExceptionCheck()) return LFFN_OK;
  }
  const lffn_status status = layer_forward(layer, x_copy, 0, n_tokens, y_copy, 0, flags, cancel);
  if (status == LFFN_OK) env->SetFloatArrayRegion(y, y_offset, y_count, y_copy);
  return status;
}

lffn_status layer_hash_arrays(JNIEnv* env, const lffn_layer* layer, jfloatArray x, int32_t x_count, int64_t n_tokens,
                              jintArray codes, jfloatArray scores, int32_t count) {
  const size_t x_bytes = padded(static_cast<size_t>(x_count) * sizeof(float));
  const size_t out_bytes = padded(static_cast<size_t>(count) * sizeof(float));
  const Scratch scratch(x_bytes + 2 * out_bytes + kAlignment);
  if (scratch.memory() == nullptr) return out_of_memory(env);
  float* x_copy = reinterpret_cast<float*>(scratch.memory());
  int32_t* codes_copy = reinterpret_cast<int32_t*>(scratch.memory() + x_bytes);
  float* scores_copy = reinterpret_cast<float*>(scratch.memory() + x_bytes + out_bytes);
  env->GetFloatArrayRegion(x, 0, x_count, x_copy);
  if (env->ExceptionCheck()) return LFFN_OK;
  const lffn_status status = layer_hash(layer, x_copy, n_tokens, codes == nullptr ? nullptr : codes_copy,
                                        scores == nullptr ? nullptr : scores_copy);
  if (status != LFFN_OK) return status;
  if (codes != nullptr) {
    env->SetIntArrayRegion(codes, 0, count, codes_copy);
    if (env->ExceptionCheck()) return LFFN_OK;
  }
  if (scores != nullptr) env->SetFloatArrayRegion(scores, 0, count, scores_copy);
  return LFFN_OK;
}
