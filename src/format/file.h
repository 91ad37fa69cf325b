// SPDX-License-Identifier: Apache-2.0
// Files: read whole or in pieces, and written so that they appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "format/bytes.h"
#include "format/system_file.h"
#include "runtime/error.h"
#include "runtime/memory.h"

namespace lffn {

// A whole file in memory. Throws Error(LFFN_ERROR_IO).
class FileBytes : public Bytes {
 public:
  explicit FileBytes(const std::string& path);
  const void* data() const { return memory_.data(); }
  size_t size() const override { return memory_.size(); }
  void read(size_t first, size_t count, void* to) const override;

 private:
  Memory memory_;
};

// An open file, read through a few small windows, so that a tensor and its scales may be read in turns. Data that is
// used where it lies may be mapped, if the caller asked for it. Throws Error(LFFN_ERROR_IO), also if the file has
// become shorter.
class FileReader : public Bytes {
 public:
  explicit FileReader(const std::string& path, bool maps = false);
  size_t size() const override { return size_; }
  void read(size_t first, size_t count, void* to) const override;
  bool can_map() const override { return maps_; }
  std::shared_ptr<const unsigned char> map(size_t first, size_t count) const override;

 private:
  struct Window {
    Memory memory;
    size_t first = 0, size = 0;  // of the file's bytes
    uint64_t last_use = 0;
  };
  Window& window_at(size_t first) const;

  std::string path_;  // for messages
  InputFile file_;
  size_t size_;
  bool maps_;
  mutable Window windows_[3];
  mutable uint64_t uses_ = 0;
};

// The new content of a file, in a file of its own beside it until commit() puts it in place. A file that is not
// committed goes away with this object and leaves the old one as it was. All functions throw Error(LFFN_ERROR_IO). In
// system_file_posix.cc and system_file_windows.cc.
class NewFile {
 public:
  // The new file gets the permissions of the one it replaces; on Windows those that new files get in its folder. A
  // symbolic link stays and its target is replaced.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* data, size_t size);
  // On disk, then in place, then the folder on disk. To be called once, last.
  void commit();

 private:
  void discard();

  std::string path_;  // for messages
  std::string target_;
  std::string folder_;
  std::string temporary_;  // exists unless empty
  FileHandle file_;
};

// Runs `action`. If it throws an error about the file's content, the message begins with the path, if there is one, and
// only once.
template <typename Action>
auto naming(const std::string& path, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.status() != LFFN_ERROR_BAD_MODEL && error.status() != LFFN_ERROR_UNSUPPORTED) throw;
    if (path.empty() || starts_with(error.what(), path + ":") || starts_with(error.what(), path + "/")) throw;
    throw Error(error.status(), path + ": " + error.what());
  }
}

}  // namespace lffn
