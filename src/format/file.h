// Writing a file so that it appears whole or not at all.
#pragma once

#include <cstddef>
#include <string>

namespace lffn {

// The new content of a file, in a file of its own beside it until commit() puts it in place. A file that is not
// committed goes away with this object and leaves the old one as it was. All functions throw Error(LFFN_ERROR_IO).
class NewFile {
 public:
  // The new file gets the permissions of the one it replaces. A symbolic link stays and its target is replaced.
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
  int file_ = -1;
};

}  // namespace lffn
