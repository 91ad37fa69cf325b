// SPDX-License-Identifier: Apache-2.0
// A NumPy file of float32 rows, written row after row.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace lffn::tools {

class NpyFile {
 public:
  // All functions throw std::system_error.
  NpyFile(std::string path, size_t columns);
  ~NpyFile();
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  void write(const float* rows, size_t count);
  // Writes how many rows there are into the head of the file.
  void finish();

 private:
  static constexpr size_t kHeadBytes = 128;  // the same for any number of rows, so that the head can be rewritten

  [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), path_); }
  void put(const void* data, size_t size);
  std::string head() const;

  std::string path_;
  std::FILE* file_;
  size_t columns_;
  size_t rows_ = 0;
};

inline NpyFile::NpyFile(std::string path, size_t columns)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")), columns_(columns) {
  if (file_ == nullptr) fail();
  const std::string first = head();
  put(first.data(), first.size());
}

inline NpyFile::~NpyFile() {
  if (file_ != nullptr) std::fclose(file_);
}

inline std::string NpyFile::head() const {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows_) + ", " +
                     std::to_string(columns_) + "), }";
  std::string result("\x93NUMPY\x01\x00", 8);
  const size_t room = kHeadBytes - result.size() - 2;
  text.resize(room - 1, ' ');
  result += static_cast<char>(room & 0xff);
  result += static_cast<char>(room >> 8);
  return result + text + '\n';
}

inline void NpyFile::put(const void* data, size_t size) {
  if (std::fwrite(data, 1, size, file_) != size) fail();
}

inline void NpyFile::write(const float* rows, size_t count) {
  put(rows, count * columns_ * sizeof(float));
  rows_ += count;
}

inline void NpyFile::finish() {
  if (std::fseek(file_, 0, SEEK_SET) != 0) fail();
  const std::string last = head();
  put(last.data(), last.size());
  std::FILE* const file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0) fail();
}

}  // namespace lffn::tools
