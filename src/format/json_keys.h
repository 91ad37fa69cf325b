// SPDX-License-Identifier: Apache-2.0
// The keys that a JSON object had so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/seeded_hash.h"

namespace lffn {

class JsonKeys {
 public:
  // False: the key was there before.
  bool insert(std::string_view key);

 private:
  static constexpr size_t kFew = 8;  // so many are compared one by one

  std::string_view key(size_t number) const {
    const size_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(bytes_).substr(begin, ends_[number] - begin);
  }
  bool find(std::string_view wanted, uint64_t hash, size_t& slot) const;
  void grow();

  std::string bytes_;            // of all keys, one behind another
  std::vector<size_t> ends_;     // of each
  std::vector<uint32_t> slots_;  // numbers + 1, open addressing, at most half full; empty while there are few keys
  SeededHash hash_;
};

}  // namespace lffn
