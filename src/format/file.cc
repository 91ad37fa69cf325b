#include "format/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 26;  // Linux moves at most 2 GiB in one call
constexpr size_t kMostOfPath = 512;              // of its bytes in a message
constexpr size_t kWindowBytes = size_t{1} << 18;

std::string quoted_path(const std::string& path) { return in_quotes(path, kMostOfPath); }

[[noreturn]] void fail_io(const char* doing, const std::string& path, int error) {
  fail(LFFN_ERROR_IO, "cannot %s %s: %s", doing, quoted_path(path).c_str(),
       std::generic_category().message(error).c_str());
}

// Closes a file that was only read or already synced, where close has nothing left to report.
class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }
  int release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

// Reads from `at` until `size` bytes or the end of the file; returns how many there were.
size_t read_up_to(int file, const std::string& path, size_t at, uint8_t* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(file, to + done, std::min(size - done, kChunkBytes), static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io("read", path, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

[[noreturn]] void fail_size_changed(const std::string& path) {
  fail(LFFN_ERROR_IO, "cannot read %s: its size changed meanwhile", quoted_path(path).c_str());
}

void require_regular(const struct stat& status, const char* doing, const std::string& path) {
  if (S_ISDIR(status.st_mode)) fail_io(doing, path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    fail(LFFN_ERROR_IO, "cannot %s %s: not a regular file", doing, quoted_path(path).c_str());
  }
}

int open_to_read(const std::string& path) {
  // Without O_NONBLOCK, opening a named pipe waits for its writer.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail_io("open", path, errno);
  return file;
}

size_t size_of(int file, const std::string& path) {
  struct stat status;
  if (fstat(file, &status) != 0) fail_io("read", path, errno);
  require_regular(status, "read", path);
  if (static_cast<uint64_t>(status.st_size) > PTRDIFF_MAX) throw std::bad_alloc();
  return static_cast<size_t>(status.st_size);
}

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

}  // namespace

FileBytes::FileBytes(const std::string& path, bool map) {
  const OpenFile file(open_to_read(path));
  size_ = size_of(file.get(), path);
  if (map) {
    if (size_ == 0) return;
    void* mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapped == MAP_FAILED) fail_io("map", path, errno);
    mapped_ = mapped;
    return;
  }
  memory_ = Memory(size_);
  uint8_t beyond;
  const size_t n = read_up_to(file.get(), path, 0, memory_.as<uint8_t>(), size_);
  if (n != size_ || read_up_to(file.get(), path, size_, &beyond, 1) != 0) fail_size_changed(path);
}

FileBytes::~FileBytes() {
  if (mapped_ != nullptr) munmap(mapped_, size_);
}

void FileBytes::read(size_t first, size_t count, void* to) const {
  if (count > 0) std::memcpy(to, static_cast<const uint8_t*>(data()) + first, count);
}

FileReader::FileReader(const std::string& path) : path_(path) {
  OpenFile file(open_to_read(path));
  size_ = size_of(file.get(), path);
  for (Window& window : windows_) window.memory = Memory(std::min(size_, kWindowBytes));
  file_ = file.release();
}

FileReader::~FileReader() { close(file_); }

// The window that holds this byte, filled from it on unless it did already.
FileReader::Window& FileReader::window_at(size_t first) const {
  Window* oldest = windows_;
  for (Window& window : windows_) {
    if (first - window.first < window.size) return window;
    if (window.last_use < oldest->last_use) oldest = &window;
  }
  oldest->size = 0;
  const size_t wanted = std::min(oldest->memory.size(), size_ - first);
  if (read_up_to(file_, path_, first, oldest->memory.as<uint8_t>(), wanted) != wanted) fail_size_changed(path_);
  oldest->first = first;
  oldest->size = wanted;
  return *oldest;
}

void FileReader::read(size_t first, size_t count, void* to) const {
  auto* out = static_cast<uint8_t*>(to);
  if (count > kWindowBytes) {
    if (read_up_to(file_, path_, first, out, count) != count) fail_size_changed(path_);
    return;
  }
  while (count > 0) {
    Window& window = window_at(first);
    window.last_use = ++uses_;
    const size_t n = std::min(count, window.first + window.size - first);
    std::memcpy(out, window.memory.as<uint8_t>() + (first - window.first), n);
    first += n;
    out += n;
    count -= n;
  }
}

NewFile::NewFile(const std::string& path) : path_(path), target_(path) {
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
    require_regular(old, "write", path_);
  }
  // A process and its threads never ask for the same name; what a killed process left behind is stepped over.
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
  const WithoutFileSizeSignal guard;
  const auto* from = static_cast<const uint8_t*>(data);
  while (size > 0) {
    const ssize_t n = ::write(file_, from, std::min(size, kChunkBytes));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io("write", path_, errno);
    from += n;
    size -= static_cast<size_t>(n);
  }
}

void NewFile::commit() {
  if (fsync(file_) != 0) fail_io("write", path_, errno);
  // Opened before the rename, so that running out of file handles is found while the old file still stands.
  const OpenFile folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 && errno != EACCES) fail_io("write", path_, errno);
  const int closed = close(file_);
  file_ = -1;  // Linux has let go of it even if close fails.
  if (closed != 0 && errno != EINTR) fail_io("write", path_, errno);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_io("write", path_, errno);
  temporary_.clear();
  // Some file systems cannot sync a folder, and then answer EINVAL. The new file is in place either way.
  if (folder.get() >= 0) fsync(folder.get());
}

void NewFile::discard() {
  if (file_ >= 0) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  file_ = -1;
  temporary_.clear();
}

}  // namespace lffn
