// SPDX-License-Identifier: Apache-2.0
// Files as the operating system has them, by paths in UTF-8: system_file_posix.cc and system_file_windows.cc.
#pragma once

#include <cstddef>
#include <string>

#include "format/utf8.h"

namespace lffn {

#ifdef _WIN32
using FileHandle = void*;
#else
using FileHandle = int;
#endif

// A regular file that is open to be read. All functions throw Error(LFFN_ERROR_IO).
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  size_t size() const;
  // Reads from `at` until `size` bytes or the end of the file; returns how many there were.
  size_t read(size_t at, void* to, size_t size) const;
  // Maps `size` bytes, more than 0, from byte `first`, a multiple of kMapUnit. They stay mapped until unmap, even
  // without this object.
  const void* map(size_t first, size_t size) const;
  static void unmap(const void* mapped, size_t size);

 private:
  std::string path_;  // for messages
  FileHandle file_;
};

// A file that is there but cannot be looked at exists, too; opening it tells more.
bool file_exists(const std::string& path);
bool is_folder(const std::string& path);

constexpr size_t kMapUnit = size_t{1} << 16;          // the unit of every system, or a multiple of it
constexpr size_t kMostBytesAtOnce = size_t{1} << 26;  // systems move at most 2 or 4 GiB in one call

inline std::string quoted_path(const std::string& path) {  // for messages
  constexpr size_t kMostOfPath = 512;
  return in_quotes(path, kMostOfPath);
}

// Throws Error "cannot DOING 'PATH': what the system's error means".
[[noreturn]] void fail_io(const char* doing, const std::string& path, int error);

}  // namespace lffn
