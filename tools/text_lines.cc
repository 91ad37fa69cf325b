// SPDX-License-Identifier: Apache-2.0
#include "text_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace lffn::tools {

TextLines::TextLines(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  const int file = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), name_); };
  if (file < 0) fail();
  struct stat status;
  is_file_ = file != STDIN_FILENO && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (is_file_) {
    mode_ = status.st_mode & 0666;
    bytes_.reserve(static_cast<size_t>(status.st_size) + 1);
  }
  constexpr size_t kBlock = size_t{1} << 20;
  for (ssize_t got = 1; got != 0;) {
    const size_t size = bytes_.size();
    bytes_.resize(size + kBlock);
    do {
      got = read(file, bytes_.data() + size, kBlock);
    } while (got < 0 && errno == EINTR);
    bytes_.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got >= 0) continue;
    const int error = errno;
    if (file != STDIN_FILENO) close(file);
    errno = error;
    fail();
  }
  if (file != STDIN_FILENO) close(file);
  for (size_t at = 0; at < bytes_.size();) {
    begins_.push_back(at);
    const size_t end = bytes_.find('\n', at);
    at = end == std::string::npos ? bytes_.size() : end + 1;
  }
  begins_.push_back(bytes_.size());
}

std::string_view TextLines::line(size_t number) const {
  std::string_view line(bytes_.data() + begins_[number], begins_[number + 1] - begins_[number]);
  const bool is_ended = !line.empty() && line.back() == '\n';
  if (is_ended) line.remove_suffix(1);
  if (is_ended && !line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

int64_t TextLines::lines_of(size_t bytes) const {
  if (bytes > bytes_.size()) return -1;
  // The last line may have had no line end then, and may have one now.
  auto found = std::lower_bound(begins_.begin(), begins_.end(), bytes);
  if (*found != bytes && bytes_[bytes - 1] != '\r') {
    if (bytes_[bytes] == '\r') bytes += 1;
    if (bytes < bytes_.size() && bytes_[bytes] == '\n' && *found == bytes + 1) bytes += 1;
  }
  return *found == bytes ? found - begins_.begin() : -1;
}

}  // namespace lffn::tools
