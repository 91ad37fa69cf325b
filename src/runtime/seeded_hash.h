// SPDX-License-Identifier: Apache-2.0
// Hashes that nobody can make collide beforehand, as the seed is another one in each process.
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
    while (!text.empty()) {
      uint64_t word = 0;
      const size_t size = text.size() < sizeof(word) ? text.size() : sizeof(word);
      std::memcpy(&word, text.data(), size);
      hash = (*this)(hash ^ word);
      text.remove_prefix(size);
    }
    return static_cast<size_t>(hash);
  }

 private:
  uint64_t seed_;
  uint64_t factor_;  // odd
};

}  // namespace lffn
