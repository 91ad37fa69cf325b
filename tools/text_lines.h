// SPDX-License-Identifier: Apache-2.0
// A whole text in memory, and its lines.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lffn::tools {

class TextLines {
 public:
  // "-" is standard input. Throws std::system_error.
  explicit TextLines(const std::string& path);

  // Whether the text is a file that can be read again.
  bool is_file() const { return is_file_; }
  // The file's permissions.
  mode_t mode() const { return mode_; }
  const std::string& bytes() const { return bytes_; }
  size_t count() const { return begins_.size() - 1; }
  // A line without its line end.
  std::string_view line(size_t number) const;
  // The byte where the first `lines` lines end.
  size_t end_of(size_t lines) const { return begins_[lines]; }
  // How many lines the first `bytes` bytes are; -1 if there are fewer bytes, or if they end inside of a line.
  int64_t lines_of(size_t bytes) const;
  // "FILE, line 17"
  std::string name_of(size_t number) const { return name_ + ", line " + std::to_string(number + 1); }

 private:
  std::string name_;
  bool is_file_ = false;
  mode_t mode_ = 0;
  std::string bytes_;
  std::vector<size_t> begins_;  // of each line, and the end of the last one
};

}  // namespace lffn::tools
