// The parts of one buffer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lffn {
namespace {

// Hands out a buffer's parts, each on a cache line; without a buffer it only counts.
class Parts {
 public:
  explicit Parts(void* buffer) : buffer_(static_cast<uint8_t*>(buffer)) {}
  template <typename Number>
  Number* take(int64_t count) {
    uint8_t* part = buffer_ == nullptr ? nullptr : buffer_ + size_;
    size_ += (static_cast<size_t>(count) * sizeof(Number) + 63) / 64 * 64;
    return reinterpret_cast<Number*>(part);
  }
  size_t size() const { return size_; }

 private:
  uint8_t* buffer_;
  size_t size_ = 0;
};

}  // namespace
}  // namespace lffn
