// SPDX-License-Identifier: Apache-2.0
// A NumPy file of float32 rows, written row after row.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace lffn::tools {

class NpyFile {
 public:
  // Throws std::system_error, as all here.
  NpyFile(std::string path, size_t columns);
  ~NpyFile();
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;

  void write(const float* rows, size_t count);
  // Writes how many rows there are into the head of the file.
  void finish();

 private:
  void put(const void* data, size_t size);
  std::string head() const;

  std::string path_;
  std::FILE* file_;
  size_t columns_;
  size_t rows_ = 0;
};

}  // namespace lffn::tools
