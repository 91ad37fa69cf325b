// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "format/file.h"
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
  // Not stat: where it is linked into the library, as with an old glibc, its errno may be lost.
  return access(path.c_str(), F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

namespace {

#ifdef __APPLE__
// Writing past the process's file size limit sends SIGXFSZ to any of its threads, which would end the host. So nothing
// is written past the limit.
ssize_t write_safely(int file, const uint8_t* from, size_t size) {
  rlimit limit = {};
  const off_t at = lseek(file, 0, SEEK_CUR);
  if (at >= 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 && static_cast<rlim_t>(at) + size > limit.rlim_cur) {
    errno = EFBIG;
    return -1;
  }
  return ::write(file, from, size);
}
#else
// Writing past the process's file size limit sends SIGXFSZ, which would end the host. While this lives the signal is
// held back in this thread, and write fails with EFBIG.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~WithoutFileSizeSignal() {
    if (sigismember(&before_, SIGXFSZ) != 1) {
      const timespec now = {0, 0};
      while (sigtimedwait(&signal_, nullptr, &now) == SIGXFSZ) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t before_;
};

ssize_t write_safely(int file, const uint8_t* from, size_t size) {
  ssize_t written;
  int error;
  {
    const WithoutFileSizeSignal guard;
    written = ::write(file, from, size);
    error = errno;
  }
  errno = error;
  return written;
}
#endif

class OpenFolder {
 public:
  explicit OpenFolder(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~OpenFolder() {
    if (file_ >= 0) close(file_);
  }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

// Returns when the file is on the disk.
int flush(int file) {
#ifdef F_FULLFSYNC
  if (fcntl(file, F_FULLFSYNC) == 0) return 0;  // fsync does not wait for the disk there; not every disk supports this
#endif
  return fsync(file);
}

}  // namespace

NewFile::NewFile(const std::string& path) : path_(path), target_(path), file_(-1) {
  if (path.empty()) fail_io("write", path_, ENOENT);
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(path.c_str(), nullptr), &std::free);
  if (resolved != nullptr) {
    target_ = resolved.get();
  } else if (errno == ENOMEM) {
    throw std::bad_alloc();
  }
  const size_t slash = target_.rfind('/');
  folder_ = slash == std::string::npos ? "./" : target_.substr(0, slash + 1);

  struct stat old;
  const bool replaces = access(target_.c_str(), F_OK) == 0;
  if (!replaces && errno != ENOENT) fail_io("write", path_, errno);
  if (replaces) {
    if (stat(target_.c_str(), &old) != 0) fail_io("write", path_, errno);
    if (S_ISDIR(old.st_mode)) fail_io("write", path_, EISDIR);
    if (!S_ISREG(old.st_mode)) {
      fail(LFFN_ERROR_IO, "cannot write %s: not a regular file", quoted_path(path_).c_str());
    }
  }
  // A process and its threads never ask for the same name; a file that a killed process left behind is skipped.
  static std::atomic<uint32_t> counter{0};
  std::string name;
  for (int attempt = 0; file_ < 0; ++attempt) {
    timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    name = folder_ + ".lffn-" + std::to_string(getpid()) + "-" + std::to_string(counter.fetch_add(1)) + "-" +
           std::to_string(now.tv_nsec) + ".tmp";
    file_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0 && (errno != EEXIST || attempt == 100)) fail_io("write", path_, errno);
  }
  temporary_ = std::move(name);
  if (replaces && fchmod(file_, old.st_mode & 0777) != 0) {
    const int error = errno;
    discard();
    fail_io("write", path_, error);
  }
}

NewFile::~NewFile() { discard(); }

void NewFile::write(const void* data, size_t size) {
  const auto* from = static_cast<const uint8_t*>(data);
  while (size > 0) {
    const ssize_t n = write_safely(file_, from, std::min(size, kMostBytesAtOnce));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io("write", path_, errno);
    from += n;
    size -= static_cast<size_t>(n);
  }
}

void NewFile::commit() {
  if (flush(file_) != 0) fail_io("write", path_, errno);
  // Opened before the rename, so that running out of file handles is found while the old file still stands.
  const OpenFolder folder(folder_);
  if (folder.get() < 0 && errno != EACCES) fail_io("write", path_, errno);
  const int closed = close(file_);
  file_ = -1;  // Linux has let go of it even if close fails.
  if (closed != 0 && errno != EINTR) fail_io("write", path_, errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_io("write", path_, errno);
  temporary_.clear();
  // Some file systems cannot sync a folder, and then answer EINVAL. The new file is in place either way.
  if (folder.get() >= 0) flush(folder.get());
}

void NewFile::discard() {
  if (file_ >= 0) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  file_ = -1;
  temporary_.clear();
}

}  // namespace lffn
