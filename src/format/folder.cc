// SPDX-License-Identifier: Apache-2.0
#include "format/folder.h"

#include <algorithm>
#include <utility>

#include "format/file.h"
#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {

std::string Folder::read_text(const std::string& name, size_t most) const {
  const std::unique_ptr<const Bytes> bytes = open(name);
  if (bytes->size() > most) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, more than the %zu allowed", in_quotes(path(name)).c_str(), bytes->size(),
         most);
  }
  std::string text(bytes->size(), '\0');
  bytes->read(0, text.size(), text.data());
  return text;
}

bool FolderOnDisk::has(const std::string& name) const { return file_exists(path(name)); }

std::unique_ptr<const Bytes> FolderOnDisk::open(const std::string& name) const {
  return std::make_unique<const FileReader>(path(name), map_);
}

FolderInMemory::FolderInMemory(std::vector<File> files) : files_(std::move(files)) {
  std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.name < b.name; });
  const auto twin =
      std::adjacent_find(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.name == b.name; });
  if (twin != files_.end()) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "two files are named %s", in_quotes(twin->name).c_str());
  }
}

const FolderInMemory::File* FolderInMemory::find(const std::string& name) const {
  const auto found = std::lower_bound(files_.begin(), files_.end(), name,
                                      [](const File& file, const std::string& wanted) { return file.name < wanted; });
  return found != files_.end() && found->name == name ? &*found : nullptr;
}

std::unique_ptr<const Bytes> FolderInMemory::open(const std::string& name) const {
  const File* file = find(name);
  if (file == nullptr) fail(LFFN_ERROR_IO, "%s: there is no such file", in_quotes(name).c_str());
  return std::make_unique<const BorrowedBytes>(file->data, file->size);
}

}  // namespace lffn
