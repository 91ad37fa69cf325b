// SPDX-License-Identifier: Apache-2.0
#include "npy_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace lffn::tools {
namespace {

constexpr size_t kHeadBytes = 128;  // as long whatever the number of rows, so that it can be written again

[[noreturn]] void fail(const std::string& path) { throw std::system_error(errno, std::generic_category(), path); }

}  // namespace

NpyFile::NpyFile(std::string path, size_t columns)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")), columns_(columns) {
  if (file_ == nullptr) fail(path_);
  const std::string first = head();
  put(first.data(), first.size());
}

NpyFile::~NpyFile() {
  if (file_ != nullptr) std::fclose(file_);
}

std::string NpyFile::head() const {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows_) + ", " +
                     std::to_string(columns_) + "), }";
  std::string result("\x93NUMPY\x01\x00", 8);
  const size_t room = kHeadBytes - result.size() - 2;
  text.resize(room - 1, ' ');
  result += static_cast<char>(room & 0xff);
  result += static_cast<char>(room >> 8);
  return result + text + '\n';
}

void NpyFile::put(const void* data, size_t size) {
  if (std::fwrite(data, 1, size, file_) != size) fail(path_);
}

void NpyFile::write(const float* rows, size_t count) {
  put(rows, count * columns_ * sizeof(float));
  rows_ += count;
}

void NpyFile::finish() {
  if (std::fseek(file_, 0, SEEK_SET) != 0) fail(path_);
  const std::string last = head();
  put(last.data(), last.size());
  std::FILE* const file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0) fail(path_);
}

}  // namespace lffn::tools
