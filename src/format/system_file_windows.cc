// SPDX-License-Identifier: Apache-2.0
#include "format/system_file.h"

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "format/file.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// To UTF-8.
std::string utf8_of(const std::wstring& text) {
  if (text.empty()) return "";
  const int length = static_cast<int>(text.size());
  std::string bytes(text.size() * 3, '\0');
  bytes.resize(static_cast<size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), length, bytes.data(),
                                                       static_cast<int>(bytes.size()), nullptr, nullptr)));
  return bytes;
}

// What Windows says of an error, in the user's language; the number says the same in any.
std::string message_of(DWORD error) {
  wchar_t text[256];
  DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0, text,
                                sizeof text / sizeof *text, nullptr);
  while (length > 0 && (text[length - 1] <= L' ' || text[length - 1] == L'.')) --length;
  std::string message = utf8_of(std::wstring(text, length));
  if (!message.empty()) message += ", ";
  return message + "Windows error " + std::to_string(error);
}

// From UTF-8, with '\' for '/', in a form in which a long path is no error. Throws Error(LFFN_ERROR_IO), "cannot DOING
// 'PATH'".
std::wstring windows_path(const char* doing, const std::string& path) {
  std::wstring wide;
  if (!path.empty()) {
    constexpr size_t kMostBytes = 3 << 15;  // Windows takes 2^15 characters
    if (path.size() > kMostBytes) fail_io(doing, path, ERROR_FILENAME_EXCED_RANGE);
    if (valid_utf8_length(path) != path.size()) {
      fail(LFFN_ERROR_IO, "cannot %s %s: the name is not UTF-8", doing, quoted_path(path).c_str());
    }
    const int length = static_cast<int>(path.size());
    wide.resize(path.size());  // never fewer units than the UTF-16 takes
    wide.resize(static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, path.data(), length, wide.data(), length)));
  }
  std::replace(wide.begin(), wide.end(), L'/', L'\\');
  // Paths longer than 260 characters, and folders longer than 248, must be absolute and begin like this.
  constexpr size_t kLong = 240;
  if (wide.size() < kLong || wide.compare(0, 4, L"\\\\?\\") == 0 || wide.compare(0, 4, L"\\\\.\\") == 0) return wide;
  std::wstring whole(GetFullPathNameW(wide.c_str(), 0, nullptr, nullptr), L'\0');
  const DWORD length = GetFullPathNameW(wide.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr);
  if (length == 0 || length >= whole.size()) return wide;
  whole.resize(length);
  return whole.compare(0, 2, L"\\\\") == 0 ? L"\\\\?\\UNC" + whole.substr(1) : L"\\\\?\\" + whole;
}

}  // namespace

void fail_io(const char* doing, const std::string& path, int error) {
  fail(LFFN_ERROR_IO, "cannot %s %s: %s", doing, quoted_path(path).c_str(),
       message_of(static_cast<DWORD>(error)).c_str());
}

InputFile::InputFile(const std::string& path) : path_(path) {
  // Other programs may go on using the file. The server of a pipe must not act in the host's name.
  file_ = CreateFileW(windows_path("open", path).c_str(), GENERIC_READ,
                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                      FILE_ATTRIBUTE_NORMAL | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, nullptr);
  if (file_ != INVALID_HANDLE_VALUE) return;
  const DWORD error = GetLastError();
  if (error == ERROR_ACCESS_DENIED && is_folder(path)) {
    fail(LFFN_ERROR_IO, "cannot open %s: it is a folder", quoted_path(path).c_str());
  }
  fail_io("open", path, static_cast<int>(error));
}

InputFile::~InputFile() { CloseHandle(file_); }

size_t InputFile::size() const {
  if (GetFileType(file_) != FILE_TYPE_DISK) {
    fail(LFFN_ERROR_IO, "cannot read %s: not a regular file", quoted_path(path_).c_str());
  }
  LARGE_INTEGER size = {};
  if (GetFileSizeEx(file_, &size) == 0) fail_io("read", path_, static_cast<int>(GetLastError()));
  if (static_cast<uint64_t>(size.QuadPart) > PTRDIFF_MAX) throw std::bad_alloc();
  return static_cast<size_t>(size.QuadPart);
}

size_t InputFile::read(size_t at, void* to, size_t size) const {
  size_t done = 0;
  while (done < size) {
    OVERLAPPED place = {};
    place.Offset = static_cast<DWORD>(at + done);
    place.OffsetHigh = static_cast<DWORD>(static_cast<uint64_t>(at + done) >> 32);
    DWORD n = 0;
    const BOOL succeeded = ReadFile(file_, static_cast<uint8_t*>(to) + done,
                                    static_cast<DWORD>(std::min(size - done, kMostBytesAtOnce)), &n, &place);
    if (succeeded == 0 && GetLastError() != ERROR_HANDLE_EOF) fail_io("read", path_, static_cast<int>(GetLastError()));
    if (n == 0) break;
    done += n;
  }
  return done;
}

const void* InputFile::map(size_t first, size_t size) const {
  const void* mapped = nullptr;
  const HANDLE mapping = CreateFileMappingW(file_, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping != nullptr) {
    const auto high = static_cast<DWORD>(static_cast<uint64_t>(first) >> 32);
    mapped = MapViewOfFile(mapping, FILE_MAP_READ, high, static_cast<DWORD>(first & 0xffffffffu), size);
  }
  const DWORD error = mapped == nullptr ? GetLastError() : 0;
  if (mapping != nullptr) CloseHandle(mapping);
  if (mapped == nullptr) fail_io("map", path_, static_cast<int>(error));
  return mapped;
}

void InputFile::unmap(const void* mapped, size_t) { UnmapViewOfFile(mapped); }

bool file_exists(const std::string& path) {
  if (GetFileAttributesW(windows_path("open", path).c_str()) != INVALID_FILE_ATTRIBUTES) return true;
  const DWORD error = GetLastError();
  return error != ERROR_FILE_NOT_FOUND && error != ERROR_PATH_NOT_FOUND;
}

bool is_folder(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(windows_path("open", path).c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

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

// The path of the file that `path` names, directly or through a symbolic link; "" if there is none yet.
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
  // A process and its threads never ask for the same name; a file that a killed process left behind is skipped.
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

// Deletes by the handle: a path would have to be made first, for which there may be no memory.
void NewFile::discard() {
  if (file_ == INVALID_HANDLE_VALUE) return;
  FILE_DISPOSITION_INFO away = {TRUE};
  SetFileInformationByHandle(file_, FileDispositionInfo, &away, sizeof away);
  CloseHandle(std::exchange(file_, INVALID_HANDLE_VALUE));
}

}  // namespace lffn
