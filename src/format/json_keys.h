// SPDX-License-Identifier: Apache-2.0
// The keys that a JSON object has had so far.
#pragma once

#include <algorithm>
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
  bool find(std::string_view wanted, uint32_t hash, size_t& slot) const;
  void grow();

  std::string bytes_;             // of all keys, one behind another
  std::vector<size_t> ends_;      // of each
  std::vector<uint32_t> hashes_;  // of each, once there are slots
  std::vector<uint32_t> slots_;   // numbers + 1, open addressing, at most half full; empty while there are few keys
  SeededHash hash_;
};

// Where the key is, or where it would be.
inline bool JsonKeys::find(std::string_view wanted, uint32_t hash, size_t& slot) const {
  const size_t mask = slots_.size() - 1;
  for (slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const size_t number = slots_[slot] - 1;
    if (hashes_[number] == hash && key(number) == wanted) return true;
  }
  return false;
}

inline void JsonKeys::grow() {
  slots_.assign(std::max<size_t>(slots_.size() * 2, kFew * 4), 0);
  for (size_t i = hashes_.size(); i < ends_.size(); ++i) hashes_.push_back(static_cast<uint32_t>(hash_(key(i))));
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < hashes_.size(); ++i) {
    size_t slot = hashes_[i] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(i + 1);
  }
}

inline bool JsonKeys::insert(std::string_view wanted) {
  if (slots_.empty()) {
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (key(i) == wanted) return false;
    }
    if (ends_.size() == kFew) grow();
  }
  if (!slots_.empty()) {
    if (ends_.size() * 2 >= slots_.size()) grow();
    const auto hash = static_cast<uint32_t>(hash_(wanted));
    size_t slot = 0;
    if (find(wanted, hash, slot)) return false;
    slots_[slot] = static_cast<uint32_t>(ends_.size() + 1);
    hashes_.push_back(hash);
  }
  bytes_ += wanted;
  ends_.push_back(bytes_.size());
  return true;
}

}  // namespace lffn
