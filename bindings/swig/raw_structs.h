// SPDX-License-Identifier: Apache-2.0
// Turns the rows of numbers and plain arguments of raw.h into the structs of the public header, and back.
#ifndef LOOKUPFFN_BINDINGS_RAW_STRUCTS_H
#define LOOKUPFFN_BINDINGS_RAW_STRUCTS_H

#include <lookupffn/lookupffn.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "raw.h"

inline int64_t number_of(int32_t value) { return value; }
inline int64_t number_of(uint32_t value) { return value; }
inline int64_t number_of(int64_t value) { return value; }
inline int64_t number_of(size_t value) { return static_cast<int64_t>(value); }
inline int64_t number_of(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <typename Number>
void give_number(int64_t number, Number& to) {
  to = static_cast<Number>(number);
}
inline void give_number(int64_t number, float& to) {
  const auto bits = static_cast<int32_t>(number);
  std::memcpy(&to, &bits, sizeof to);
}

inline lffn_load_options load_options(const int32_t* numbers, const lffn_runtime* runtime, const int32_t* cancel,
                                      lffn_file_progress_callback progress, void* progress_user,
                                      const char* adapter = nullptr) {
  lffn_load_options options;
  lffn_load_options_init(&options);
#define GIVE(place, member) give_number(numbers[OPTION_##place], options.member);
  LOAD_OPTIONS_FIELDS(GIVE)
#undef GIVE
  options.runtime = runtime;
  options.cancel = cancel;
  options.progress = progress;
  options.progress_user = progress_user;
  options.adapter = adapter;
  return options;
}

inline lffn_save_options save_options(const int32_t* cancel, lffn_file_progress_callback progress,
                                      void* progress_user) {
  lffn_save_options options;
  lffn_save_options_init(&options);
  options.cancel = cancel;
  options.progress = progress;
  options.progress_user = progress_user;
  return options;
}

// Texts that lie end to end, each up to its end; a null text has a negative end.
class Texts {
 public:
  Texts(const char* utf8, const int64_t* ends, int64_t n)
      : begins_(new (std::nothrow) const char*[static_cast<size_t>(n) + 1]),
        sizes_(new (std::nothrow) size_t[static_cast<size_t>(n) + 1]) {
    if (n == 0 || utf8 == nullptr) utf8 = "";  // .NET pins an empty array at NULL
    int64_t begin = 0;
    for (int64_t i = 0; made() && i < n; ++i) {
      const bool null = ends[i] < 0;
      begins_[i] = null ? nullptr : utf8 + begin;
      sizes_[i] = null ? 0 : static_cast<size_t>(ends[i] - begin);
      begin = null ? begin : ends[i];
    }
  }
  bool made() const { return begins_ != nullptr && sizes_ != nullptr; }
  const char* const* begins() const { return begins_.get(); }
  const size_t* sizes() const { return sizes_.get(); }

 private:
  std::unique_ptr<const char*[]> begins_;
  std::unique_ptr<size_t[]> sizes_;
};

// Files in memory, or read by a function of the host; get() is null if there is no memory left for the list of them.
class Files {
 public:
  Files(const char* const* names, const void* const* contents, const size_t* sizes, int64_t n, lffn_read_callback read,
        const void* const* read_users)
      : files_(new (std::nothrow) lffn_file[static_cast<size_t>(n) + 1]) {
    for (int64_t i = 0; files_ != nullptr && i < n; ++i) {
      lffn_file_init(&files_[i]);
      files_[i].name = names[i];
      files_[i].data = contents[i];
      files_[i].size = sizes[i];
      if (read == nullptr || read_users[i] == nullptr) continue;
      files_[i].read = read;
      files_[i].read_user = const_cast<void*>(read_users[i]);
    }
  }
  const lffn_file* get() const { return files_.get(); }

 private:
  std::unique_ptr<lffn_file[]> files_;
};

// Room for one call's results.
class Result {
 public:
  Result() : status_(lffn_result_create(&result_)) {}
  ~Result() { lffn_result_free(result_); }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  lffn_status status() const { return status_; }
  lffn_result* get() const { return result_; }

 private:
  lffn_result* result_ = nullptr;
  lffn_status status_;
};

#endif  // LOOKUPFFN_BINDINGS_RAW_STRUCTS_H
