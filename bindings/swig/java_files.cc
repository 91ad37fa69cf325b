// SPDX-License-Identifier: Apache-2.0
#include "java_calls.h"
#include "java_copies.h"
#include "java_hooks.h"
#include "raw_model.h"

namespace {

// Names and contents as the core reads them, as long as the object lives.
class GivenFiles {
 public:
  GivenFiles(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes)
      : env_(env),
        count_(length_of(env, names)),
        held_(2 * count_),
        bytes_(2 * count_),
        sizes_(count_),
        read_sizes_(count_),
        readers_(count_),
        reader_places_(count_) {
    made_ = held_.data() != nullptr && bytes_.data() != nullptr && sizes_.data() != nullptr &&
            read_sizes_.data() != nullptr && readers_.data() != nullptr && reader_places_.data() != nullptr &&
            fetch(env, sizes, count_, read_sizes_.data());
    for (size_t i = 0; made_ && i < count_; ++i) {
      made_ = hold_bytes(names, i, i) &&
              (read_sizes_.data()[i] < 0 ? hold_bytes(contents, i, count_ + i) : hold_channel(contents, i));
    }
  }
  ~GivenFiles() {
    for (size_t i = 0; held_.data() != nullptr && bytes_.data() != nullptr && i < 2 * count_; ++i) {
      if (bytes_.data()[i] != nullptr) {
        env_->ReleaseByteArrayElements(static_cast<jbyteArray>(held_.data()[i]), bytes_.data()[i], JNI_ABORT);
      }
      if (held_.data()[i] != nullptr) env_->DeleteLocalRef(held_.data()[i]);
    }
  }
  GivenFiles(const GivenFiles&) = delete;
  GivenFiles& operator=(const GivenFiles&) = delete;
  bool made() const { return made_; }
  int64_t count() const { return static_cast<int64_t>(count_); }
  const size_t* sizes() const { return sizes_.data(); }
  const char* const* names() const { return reinterpret_cast<const char* const*>(bytes_.data()); }
  const void* const* contents() const { return reinterpret_cast<const void* const*>(bytes_.data() + count_); }
  const void* const* readers() const { return reader_places_.data(); }

 private:
  bool hold_bytes(jobjectArray arrays, size_t i, size_t place) {
    jobject array = env_->GetObjectArrayElement(arrays, static_cast<jsize>(i));
    held_.data()[place] = array;
    if (array == nullptr) return false;
    bytes_.data()[place] = env_->GetByteArrayElements(static_cast<jbyteArray>(array), nullptr);
    sizes_.data()[i] = length_of(env_, static_cast<jbyteArray>(array));
    return bytes_.data()[place] != nullptr;
  }

  bool hold_channel(jobjectArray channels, size_t i) {
    jobject channel = env_->GetObjectArrayElement(channels, static_cast<jsize>(i));
    held_.data()[count_ + i] = channel;
    sizes_.data()[i] = static_cast<size_t>(read_sizes_.data()[i]);
    readers_.data()[i] = {env_, channel};
    reader_places_.data()[i] = &readers_.data()[i];
    return channel != nullptr;
  }

  JNIEnv* env_;
  size_t count_;
  Block<jobject> held_;  // names, then contents
  Block<jbyte*> bytes_;
  Block<size_t> sizes_;
  Block<int64_t> read_sizes_;
  Block<JavaReceiver> readers_;
  Block<const void*> reader_places_;
  bool made_ = false;
};

}  // namespace

lffn_status model_load_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                   const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                                   const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                                   lffn_model** out) {
  const GivenFiles files(env, names, contents, sizes);
  if (!files.made()) return no_arrays(env);
  return model_load_files(files.names(), files.contents(), files.sizes(), files.count(), read_channel, files.readers(),
                          options, adapter, runtime, cancel, progress, progress_user, out);
}

lffn_status model_estimate_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                       const int32_t* options, const char* adapter, const lffn_runtime* runtime,
                                       const int32_t* cancel, lffn_file_progress_callback progress, void* progress_user,
                                       int64_t* estimate_numbers) {
  const GivenFiles files(env, names, contents, sizes);
  if (!files.made()) return no_arrays(env);
  return model_estimate_files(files.names(), files.contents(), files.sizes(), files.count(), read_channel,
                              files.readers(), options, adapter, runtime, cancel, progress, progress_user,
                              estimate_numbers);
}

lffn_status tokenizer_load_given_files(JNIEnv* env, jobjectArray names, jobjectArray contents, jlongArray sizes,
                                       const int32_t* options, const lffn_runtime* runtime, const int32_t* cancel,
                                       lffn_file_progress_callback progress, void* progress_user,
                                       lffn_tokenizer** out) {
  const GivenFiles files(env, names, contents, sizes);
  if (!files.made()) return no_arrays(env);
  return tokenizer_load_files(files.names(), files.contents(), files.sizes(), files.count(), read_channel,
                              files.readers(), options, runtime, cancel, progress, progress_user, out);
}
