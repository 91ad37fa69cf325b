// SPDX-License-Identifier: Apache-2.0
// Bytes from outside, whole in memory or read in pieces.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

namespace lffn {

class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual size_t size() const = 0;
  // Copies `count` bytes from byte `first` on; all must lie inside. Not for several threads at once.
  virtual void read(size_t first, size_t count, void* to) const = 0;
  // Whether map() gives anything.
  virtual bool can_map() const { return false; }
  // So many bytes, more than 0, where they lie. They stay as long as the pointer is held, even without this object.
  // nullptr: they can only be read.
  virtual std::shared_ptr<const unsigned char> map(size_t, size_t) const { return nullptr; }
};

// Somebody else's memory.
class BorrowedBytes : public Bytes {
 public:
  BorrowedBytes(const void* data, size_t size) : data_(static_cast<const unsigned char*>(data)), size_(size) {}
  size_t size() const override { return size_; }
  void read(size_t first, size_t count, void* to) const override {
    if (count > 0) std::memcpy(to, data_ + first, count);
  }

 private:
  const unsigned char* data_;
  size_t size_;
};

}  // namespace lffn
