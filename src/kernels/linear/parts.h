// SPDX-License-Identifier: Apache-2.0
// The parts of one buffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/layout.h"

namespace lffn {
namespace {

// Hands out the parts of a buffer where `place` says; without a buffer it only counts. With AddressSanitizer, parts
// have borders between them, which nothing may touch while it lives. Each part is opened first, because the buffer may
// have been divided otherwise before.
class Parts {
 public:
  explicit Parts(void* buffer) : buffer_(static_cast<uint8_t*>(buffer)) {}
  ~Parts() {
    if (buffer_ != nullptr) open_bytes(buffer_, size_);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  template <typename Number>
  Number* take(int64_t count) {
    const size_t bytes = static_cast<size_t>(count) * sizeof(Number), at = place(size_, bytes);
    if (buffer_ == nullptr) return nullptr;
    open_bytes(buffer_ + at, bytes);
    close_bytes(buffer_ + at + bytes, size_ - at - bytes);
    return reinterpret_cast<Number*>(buffer_ + at);
  }
  size_t size() const { return size_; }

 private:
  uint8_t* buffer_;
  size_t size_ = 0;
};

}  // namespace
}  // namespace lffn
