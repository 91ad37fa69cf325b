// SPDX-License-Identifier: Apache-2.0
// 128 bits that name a run of bytes. Equal bytes have equal digests on every machine; two that differ by chance share
// one about once in 2^128 pairs. It is no defence against somebody who looks for two files with the same digest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lffn {

class Digest {
 public:
  static constexpr size_t kBytes = 16;

  // The digest of some bytes in several pieces is that of all of them at once.
  void add(const void* bytes, size_t size);
  // A single number, or a text with its length, so that the digest depends on where one ends.
  void add_number(uint64_t number);
  void add_text(std::string_view text);
  // Of all that was added; more may follow.
  std::array<uint8_t, kBytes> value() const;

 private:
  static constexpr size_t kWords = 4;
  static constexpr size_t kBlock = kWords * sizeof(uint64_t);

  void take_block(const uint8_t* block);

  uint64_t lanes_[kWords] = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89};
  uint64_t size_ = 0;
  uint8_t rest_[kBlock] = {};  // the last size_ % kBlock bytes
};

}  // namespace lffn
