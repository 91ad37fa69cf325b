// SPDX-License-Identifier: Apache-2.0
// Hashes that nobody can make collide in advance, because each process has another seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lffn {

class SeededHash {
 public:
  SeededHash();

  uint64_t operator()(uint64_t value) const {
    value = (value ^ seed_) * 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 32) * factor_;
    return value ^ value >> 29;
  }
  size_t operator()(std::string_view text) const {
    uint64_t hash = text.size();
    for (; text.size() > sizeof hash; text.remove_prefix(sizeof hash)) hash = (*this)(hash ^ bytes_at<8>(text, 0));
    return static_cast<size_t>((*this)(hash ^ few_bytes(text)));
  }

 private:
  template <size_t kSize>
  static uint64_t bytes_at(std::string_view text, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, kSize);
    return word;
  }
  // All bytes of a text of up to eight; some twice.
  static uint64_t few_bytes(std::string_view text) {
    const size_t size = text.size();
    if (size >= 4) return bytes_at<4>(text, 0) << 32 | bytes_at<4>(text, size - 4);
    if (size >= 2) return bytes_at<2>(text, 0) << 32 | bytes_at<2>(text, size - 2);
    return size == 1 ? bytes_at<1>(text, 0) : 0;
  }

  uint64_t seed_;
  uint64_t factor_;  // odd
};

}  // namespace lffn
