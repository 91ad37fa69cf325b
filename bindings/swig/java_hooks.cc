// SPDX-License-Identifier: Apache-2.0
#include "java_hooks.h"

#include <cstring>
#include <initializer_list>

namespace {

// A static method of a class of the package. The class is weak, because a strong reference would keep the class loader
// of a redeployed application alive for ever.
struct Hook {
  jweak type = nullptr;
  jmethodID method = nullptr;
};

JavaVM* machine;
Hook progress_hook, run_hook, channel_hook, log_hook, threads_hook;

// Keeps the class for the length of one call.
class HookedClass {
 public:
  HookedClass(JNIEnv* env, const Hook& hook) : env_(env), type_(static_cast<jclass>(env->NewLocalRef(hook.type))) {}
  ~HookedClass() { env_->DeleteLocalRef(type_); }
  HookedClass(const HookedClass&) = delete;
  HookedClass& operator=(const HookedClass&) = delete;
  jclass get() const { return type_; }

 private:
  JNIEnv* env_;
  jclass type_;
};

JNIEnv* current_thread() {
  JNIEnv* env = nullptr;
  return machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) == JNI_OK ? env : nullptr;
}

bool keep(JNIEnv* env, jclass found, jmethodID method, Hook& hook) {
  if (method == nullptr) return false;
  hook.type = env->NewWeakGlobalRef(found);
  hook.method = method;
  env->DeleteLocalRef(found);
  return hook.type != nullptr;
}

}  // namespace

bool find_hooks(JavaVM* vm, JNIEnv* env) {
  machine = vm;
  jclass found = env->FindClass("io/github/lookupffn/ListenedCall$Load");
  if (found == nullptr) return false;
  jmethodID method = env->GetStaticMethodID(found, "tell", "(Ljava/lang/Object;D)V");
  if (!keep(env, found, method, progress_hook)) return false;
  found = env->FindClass("io/github/lookupffn/ListenedCall$Run");
  if (found == nullptr) return false;
  method = env->GetStaticMethodID(found, "tell", "(Ljava/lang/Object;JJ)V");
  if (!keep(env, found, method, run_hook)) return false;
  found = env->FindClass("io/github/lookupffn/GivenFiles$ChannelFile");
  if (found == nullptr) return false;
  method = env->GetStaticMethodID(found, "read", "(Ljava/lang/Object;JLjava/nio/ByteBuffer;)Z");
  if (!keep(env, found, method, channel_hook)) return false;
  found = env->FindClass("io/github/lookupffn/RuntimeHooks");
  if (found == nullptr) return false;
  method = env->GetStaticMethodID(found, "tellLog", "(JI[B)V");
  if (!keep(env, found, method, log_hook)) return false;
  found = env->FindClass("io/github/lookupffn/RuntimeHooks");
  if (found == nullptr) return false;
  method = env->GetStaticMethodID(found, "runAll", "(JJJJ)V");
  return keep(env, found, method, threads_hook);
}

void drop_hooks(JNIEnv* env) {
  lffn_set_default_log(nullptr, nullptr);
  for (Hook* hook : {&progress_hook, &run_hook, &channel_hook, &log_hook, &threads_hook}) {
    env->DeleteWeakGlobalRef(hook->type);
  }
}

void tell_progress(double done, void* user) {
  const auto* listener = static_cast<const JavaReceiver*>(user);
  JNIEnv* const env = listener->env;
  if (env->ExceptionCheck()) return;
  const HookedClass type(env, progress_hook);
  if (type.get() != nullptr) env->CallStaticVoidMethod(type.get(), progress_hook.method, listener->object, done);
  if (env->ExceptionCheck())
    env->ExceptionClear();  // ListenedCall keeps what a listener throws; this is something else
}

void tell_run_progress(int64_t done, int64_t n, void* user) {
  const auto* listener = static_cast<const JavaReceiver*>(user);
  JNIEnv* const env = listener->env;
  if (env->ExceptionCheck()) return;
  const HookedClass type(env, run_hook);
  if (type.get() != nullptr) {
    env->CallStaticVoidMethod(type.get(), run_hook.method, listener->object, static_cast<jlong>(done),
                              static_cast<jlong>(n));
  }
  if (env->ExceptionCheck()) env->ExceptionClear();  // as above
}

int32_t read_channel(uint64_t first, size_t size, void* to, void* user) {
  constexpr size_t kLargestBuffer = size_t{1} << 30;
  const auto* file = static_cast<const JavaReceiver*>(user);
  JNIEnv* const env = file->env;
  const HookedClass type(env, channel_hook);
  if (env->ExceptionCheck() || type.get() == nullptr) return 1;
  for (size_t done = 0; done < size;) {
    const size_t part = size - done < kLargestBuffer ? size - done : kLargestBuffer;
    jobject buffer = env->NewDirectByteBuffer(static_cast<char*>(to) + done, static_cast<jlong>(part));
    const bool read =
        buffer != nullptr && env->CallStaticBooleanMethod(type.get(), channel_hook.method, file->object,
                                                          static_cast<jlong>(first + done), buffer) == JNI_TRUE;
    if (env->ExceptionCheck()) env->ExceptionClear();  // ChannelFile keeps what its channel throws
    if (buffer != nullptr) env->DeleteLocalRef(buffer);
    if (!read) return 1;
    done += part;
  }
  return 0;
}

void tell_log(int32_t level, const char* message, void* user) {
  JNIEnv* const env = current_thread();
  if (env == nullptr || env->ExceptionCheck()) return;
  const HookedClass type(env, log_hook);
  if (type.get() == nullptr) return;
  const auto length = static_cast<jsize>(std::strlen(message));
  jbyteArray utf8 = env->NewByteArray(length);
  if (utf8 != nullptr) {
    env->SetByteArrayRegion(utf8, 0, length, reinterpret_cast<const jbyte*>(message));
    env->CallStaticVoidMethod(type.get(), log_hook.method, reinterpret_cast<jlong>(user), static_cast<jint>(level),
                              utf8);
    env->DeleteLocalRef(utf8);
  }
  if (env->ExceptionCheck()) env->ExceptionClear();  // no memory for a line of the log is no failure of the call
}

void run_in_executor(void* user, int64_t n_items, void (*run)(void* context, int64_t item), void* context) {
  JNIEnv* const env = current_thread();
  if (env != nullptr && !env->ExceptionCheck()) {
    const HookedClass type(env, threads_hook);
    if (type.get() != nullptr) {
      env->CallStaticVoidMethod(type.get(), threads_hook.method, reinterpret_cast<jlong>(user),
                                reinterpret_cast<jlong>(run), reinterpret_cast<jlong>(context),
                                static_cast<jlong>(n_items));
      // RuntimeHooks throws only before it has begun.
      if (!env->ExceptionCheck()) return;
      env->ExceptionClear();
    }
  }
  for (int64_t item = 0; item < n_items; ++item) run(context, item);
}

void run_item(int64_t run, int64_t context, int64_t item) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Java holds addresses as numbers
  reinterpret_cast<void (*)(void*, int64_t)>(run)(reinterpret_cast<void*>(context), item);
}
