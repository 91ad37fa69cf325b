// SPDX-License-Identifier: Apache-2.0
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "format/file.h"
#include "format/system_file.h"
#include "format/windows_path.h"
#include "runtime/error.h"

namespace lffn {
namespace {

[[noreturn]] void fail_to_write(const std::string& path, DWORD error = GetLastError()) {
  fail_io("write", path, static_cast<int>(error));
}

struct OpenFile {
  explicit OpenFile(HANDLE file) : handle(file) {}
  ~OpenFile() {
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const HANDLE handle;
};

// Where the file is that the path names, itself or through a symbolic link; "" where there is none yet.
std::string find_target(const std::string& path) {
  const std::wstring name = windows_path("write", path);
  const DWORD attributes = GetFileAttributesW(name.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    if (GetLastError() != ERROR_FILE_NOT_FOUND) fail_to_write(path);
    return "";
  }
  const OpenFile file(CreateFileW(name.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (file.handle == INVALID_HANDLE_VALUE) fail_to_write(path);
  if (GetFileType(file.handle) != FILE_TYPE_DISK) {
    fail(LFFN_ERROR_IO, "cannot write %s: not a regular file", quoted_path(path).c_str());
  }
  BY_HANDLE_FILE_INFORMATION info = {};
  if (GetFileInformationByHandle(file.handle, &info) == 0) fail_to_write(path);
  if ((info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    fail(LFFN_ERROR_IO, "cannot write %s: it is a folder", quoted_path(path).c_str());
  }
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return path;
  std::wstring whole(GetFinalPathNameByHandleW(file.handle, nullptr, 0, FILE_NAME_NORMALIZED), L'\0');
  const DWORD length =
      GetFinalPathNameByHandleW(file.handle, whole.data(), static_cast<DWORD>(whole.size()), FILE_NAME_NORMALIZED);
  if (length == 0 || length >= whole.size()) fail_to_write(path);
  return utf8_of(whole.substr(0, length));
}

}  // namespace

NewFile::NewFile(const std::string& path) : path_(path), target_(find_target(path)), file_(INVALID_HANDLE_VALUE) {
  if (target_.empty()) target_ = path;
  const size_t end = target_.find_last_of("/\\:");
  folder_ = end == std::string::npos ? "" : target_.substr(0, end + 1);
  // A process and its threads never ask for the same name; what a killed process left behind is stepped over.
  static std::atomic<uint32_t> counter{0};
  std::string name;
  for (int attempt = 0; file_ == INVALID_HANDLE_VALUE; ++attempt) {
    LARGE_INTEGER now = {};
    QueryPerformanceCounter(&now);
    name = folder_ + ".lffn-" + std::to_string(GetCurrentProcessId()) + "-" + std::to_string(counter.fetch_add(1)) +
           "-" + std::to_string(now.LowPart) + ".tmp";
    file_ = CreateFileW(windows_path("write", name).c_str(), GENERIC_WRITE | DELETE, 0, nullptr, CREATE_NEW,
                        FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file_ == INVALID_HANDLE_VALUE && (GetLastError() != ERROR_FILE_EXISTS || attempt == 100)) fail_to_write(path_);
  }
  temporary_ = std::move(name);
}

NewFile::~NewFile() { discard(); }

void NewFile::write(const void* data, size_t size) {
  const auto* from = static_cast<const uint8_t*>(data);
  while (size > 0) {
    DWORD n = 0;
    if (WriteFile(file_, from, static_cast<DWORD>(std::min(size, kMostBytesAtOnce)), &n, nullptr) == 0) {
      fail_to_write(path_);
    }
    from += n;
    size -= n;
  }
}

void NewFile::commit() {
  const std::wstring from = windows_path("write", temporary_), to = windows_path("write", target_);
  if (FlushFileBuffers(file_) == 0) fail_to_write(path_);
  CloseHandle(std::exchange(file_, INVALID_HANDLE_VALUE));
  if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0) {
    const DWORD error = GetLastError();
    DeleteFileW(from.c_str());
    fail_to_write(path_, error);
  }
}

// By the handle: a path would have to be made first, for which there may be no memory.
void NewFile::discard() {
  if (file_ == INVALID_HANDLE_VALUE) return;
  FILE_DISPOSITION_INFO away = {TRUE};
  SetFileInformationByHandle(file_, FileDispositionInfo, &away, sizeof away);
  CloseHandle(std::exchange(file_, INVALID_HANDLE_VALUE));
}

}  // namespace lffn
