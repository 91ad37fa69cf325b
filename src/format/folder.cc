// SPDX-License-Identifier: Apache-2.0
#include "format/folder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/file.h"
#include "format/stand_in.h"
#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// Bytes that a function of the host reads. Small pieces come from a window, because each call may cost the host much.
class HostBytes : public Bytes {
 public:
  explicit HostBytes(const FolderInMemory::File& file) : file_(file) {}
  size_t size() const override { return file_.size; }
  void read(size_t first, size_t count, void* to) const override {
    if (count == 0) return;
    if (count >= kWindowBytes) return ask(first, count, to);
    if (first < first_ || first - first_ >= window_.size() || count > window_.size() - (first - first_)) {
      std::string window(std::min(kWindowBytes, file_.size - first), '\0');
      ask(first, window.size(), window.data());
      window_.swap(window);
      first_ = first;
    }
    std::memcpy(to, window_.data() + (first - first_), count);
  }

 private:
  static constexpr size_t kWindowBytes = size_t{1} << 16;

  void ask(size_t first, size_t count, void* to) const {
    const int32_t failure = file_.read(first, count, to, file_.read_user);
    if (failure == 0) return;
    fail(LFFN_ERROR_IO, "%s: the host's read function returned %d for %zu bytes from byte %zu on",
         in_quotes(file_.name).c_str(), failure, count, first);
  }

  FolderInMemory::File file_;
  mutable std::string window_;
  mutable size_t first_ = 0;
};

}  // namespace

std::string Folder::read_text(const std::string& name, size_t most) const {
  const std::unique_ptr<const Bytes> bytes = open(name);
  if (bytes->size() > most) {
    fail(LFFN_ERROR_BAD_MODEL, "%s: %zu bytes, more than the %zu allowed", in_quotes(path(name)).c_str(), bytes->size(),
         most);
  }
  std::string text(bytes->size(), '\0');
  bytes->read(0, text.size(), text.data());
  naming(path(name), [&] { refuse_stand_in(text); });
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
  if (file->read != nullptr) return std::make_unique<const HostBytes>(*file);
  return std::make_unique<const BorrowedBytes>(file->data, file->size);
}

}  // namespace lffn
