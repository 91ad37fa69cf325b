// SPDX-License-Identifier: Apache-2.0
// The files of a model's folder, on disk or in the caller's memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/bytes.h"
#include "lookupffn/base.h"

namespace lffn {

// Files are asked for by their names in the folder: "config.json", "1_Pooling/config.json".
class Folder {
 public:
  virtual ~Folder() = default;
  virtual bool has(const std::string& name) const = 0;
  // Throws Error(LFFN_ERROR_IO) if there is no such file, or it cannot be read.
  virtual std::unique_ptr<const Bytes> open(const std::string& name) const = 0;
  // How messages name the file.
  virtual std::string path(const std::string& name) const = 0;

  // The whole content. Throws Error(LFFN_ERROR_BAD_MODEL) for more than `most` bytes.
  std::string read_text(const std::string& name, size_t most) const;
};

class FolderOnDisk : public Folder {
 public:
  // map: data that is used where it lies may be mapped.
  FolderOnDisk(std::string path, bool map) : path_(std::move(path)), map_(map) {}
  bool has(const std::string& name) const override;
  std::unique_ptr<const Bytes> open(const std::string& name) const override;
  std::string path(const std::string& name) const override { return path_ + "/" + name; }

 private:
  std::string path_;
  bool map_;
};

// The host's data, in memory or behind a function, must outlive this object and what it opens.
class FolderInMemory : public Folder {
 public:
  struct File {
    std::string name;
    const void* data;
    size_t size;
    lffn_read_callback read = nullptr;  // instead of data
    void* read_user = nullptr;
  };
  // Throws Error(LFFN_ERROR_INVALID_ARGUMENT) if two files have the same name.
  explicit FolderInMemory(std::vector<File> files);
  bool has(const std::string& name) const override { return find(name) != nullptr; }
  std::unique_ptr<const Bytes> open(const std::string& name) const override;
  std::string path(const std::string& name) const override { return name; }

 private:
  const File* find(const std::string& name) const;
  std::vector<File> files_;  // by name
};

// A folder inside another; `place` is "" for the outer folder itself.
class InnerFolder : public Folder {
 public:
  InnerFolder(const Folder& outer, const std::string& place)
      : outer_(outer), start_(place.empty() ? place : place + "/") {}
  bool has(const std::string& name) const override { return outer_.has(start_ + name); }
  std::unique_ptr<const Bytes> open(const std::string& name) const override { return outer_.open(start_ + name); }
  std::string path(const std::string& name) const override { return outer_.path(start_ + name); }

 private:
  const Folder& outer_;
  std::string start_;
};

}  // namespace lffn
