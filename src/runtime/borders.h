// SPDX-License-Identifier: Apache-2.0
// The parts of a block of scratch memory, one behind the other, and the borders between them: in builds with
// AddressSanitizer no part may run into the next. Other builds have no borders and only compute where each part begins.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "runtime/layout.h"
#include "runtime/memory.h"

namespace lffn {

class ScratchParts {
 public:
  ScratchParts() = default;
  explicit ScratchParts(size_t begin) : end_(begin) {}

  // Appends a part of so many bytes; returns where it begins.
  size_t place(size_t bytes) {
    size_t stride = 0;
    return place_each(1, bytes, stride);
  }
  // The same for `count` equal parts, `stride` bytes from one to the next.
  size_t place_each(int64_t count, size_t bytes, size_t& stride) {
    const size_t at = end_;
    stride = part_stride(bytes);
    end_ += checked_product(stride, static_cast<size_t>(count));
#ifdef LFFN_BORDERS
    if (num_kinds_ == kMostKinds) std::abort();
    kinds_[num_kinds_++] = {at, bytes, stride, static_cast<size_t>(count)};
#endif
    return at;
  }
  size_t end() const { return end_; }

  // act(offset, bytes) for each border; offsets count from where the block begins.
  template <typename Act>
  void for_borders([[maybe_unused]] Act&& act) const {
#ifdef LFFN_BORDERS
    for (size_t k = 0; k < num_kinds_; ++k) {
      const Kind& kind = kinds_[k];
      for (size_t i = 0; i < kind.count; ++i) act(kind.at + i * kind.stride + kind.bytes, kind.stride - kind.bytes);
    }
#endif
  }

 private:
  size_t end_ = 0;
#ifdef LFFN_BORDERS
  struct Kind {
    size_t at, bytes, stride, count;
  };
  static constexpr size_t kMostKinds = 16;
  Kind kinds_[kMostKinds] = {};
  size_t num_kinds_ = 0;
#endif
};

// While it lives, nothing may touch the borders of a block of memory. Afterwards they are open again, because blocks
// are reused with other parts.
class Borders {
 public:
  Borders(const uint8_t* memory, const ScratchParts& parts) : memory_(memory), parts_(parts) {
    parts_.for_borders([&](size_t at, size_t bytes) { close_bytes(memory_ + at, bytes); });
  }
  ~Borders() {
    parts_.for_borders([&](size_t at, size_t bytes) { open_bytes(memory_ + at, bytes); });
  }
  Borders(const Borders&) = delete;
  Borders& operator=(const Borders&) = delete;

 private:
  const uint8_t* memory_;
  ScratchParts parts_;
};

}  // namespace lffn
