// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>

#include "format/system_file.h"
#include "runtime/error.h"

namespace lffn {

void fail_io(const char* doing, const std::string& path, int error) {
  fail(LFFN_ERROR_IO, "cannot %s %s: %s", doing, quoted_path(path).c_str(),
       std::generic_category().message(error).c_str());
}

InputFile::InputFile(const std::string& path) : path_(path) {
  // Without O_NONBLOCK, opening a named pipe waits for its writer.
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) fail_io("open", path, errno);
}

// It was only read: close has nothing to report.
InputFile::~InputFile() { close(file_); }

size_t InputFile::size() const {
  struct stat status;
  if (fstat(file_, &status) != 0) fail_io("read", path_, errno);
  if (S_ISDIR(status.st_mode)) fail_io("read", path_, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    fail(LFFN_ERROR_IO, "cannot read %s: not a regular file", quoted_path(path_).c_str());
  }
  if (static_cast<uint64_t>(status.st_size) > PTRDIFF_MAX) throw std::bad_alloc();
  return static_cast<size_t>(status.st_size);
}

size_t InputFile::read(size_t at, void* to, size_t size) const {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(file_, static_cast<uint8_t*>(to) + done, std::min(size - done, kMostBytesAtOnce),
                            static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io("read", path_, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

const void* InputFile::map(size_t first, size_t size) const {
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_, static_cast<off_t>(first));
  if (mapped == MAP_FAILED) fail_io("map", path_, errno);
  return mapped;
}

void InputFile::unmap(const void* mapped, size_t size) { munmap(const_cast<void*>(mapped), size); }

bool file_exists(const std::string& path) {
  // Not stat: where it is linked in, as with an old glibc, its errno may be lost.
  return access(path.c_str(), F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace lffn
