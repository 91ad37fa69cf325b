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

  // Whether it is a file that can be read again.
  bool is_file() const { return is_file_; }
  // Who may read it.
  mode_t mode() const { return mode_; }
  const std::string& bytes() const { return bytes_; }
  size_t count() const { return begins_.size() - 1; }
  // Without its end.
  std::string_view line(size_t number) const;
  // Where so many lines end.
  size_t end_of(size_t lines) const { return begins_[lines]; }
  // How many lines so many bytes are; -1 if there are fewer bytes, or if a line goes on behind them.
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
