// SPDX-License-Identifier: Apache-2.0
// The parts of one buffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/layout.h"

namespace lffn {
namespace {

// Hands out the parts of a buffer where `place` says; without a buffer it only counts.
class Parts {
 public:
  explicit Parts(void* buffer) : buffer_(static_cast<uint8_t*>(buffer)) {}
  template <typename Number>
  Number* take(int64_t count) {
    const size_t at = place(size_, static_cast<size_t>(count) * sizeof(Number));
    return buffer_ == nullptr ? nullptr : reinterpret_cast<Number*>(buffer_ + at);
  }
  size_t size() const { return size_; }

 private:
  uint8_t* buffer_;
  size_t size_ = 0;
};

}  // namespace
}  // namespace lffn
