// SPDX-License-Identifier: Apache-2.0
// The nearest of the vectors that one query has met so far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace lffn {

struct Found {
  float score;  // larger is nearer
  int64_t id;
};

// One order for all: NaN after every number, equal scores by their ids.
inline bool is_nearer(const Found& a, const Found& b) {
  if (a.score > b.score) return true;
  if (a.score < b.score) return false;
  const bool a_is_none = a.score != a.score, b_is_none = b.score != b.score;
  return a_is_none != b_is_none ? b_is_none : a.id < b.id;
}

// At most `room` found vectors, as a heap with the farthest first.
class Best {
 public:
  Best() = default;
  Best(Found* found, int64_t room) : found_(found), room_(room) {}

  void offer(const Found& one) {
    if (size_ < room_) {
      found_[size_++] = one;
      std::push_heap(found_, found_ + size_, is_nearer);
    } else if (room_ > 0 && is_nearer(one, found_[0])) {
      std::pop_heap(found_, found_ + size_, is_nearer);
      found_[size_ - 1] = one;
      std::push_heap(found_, found_ + size_, is_nearer);
    }
  }

  // A score below it is not among the best; NaN if any score may be.
  float threshold() const { return size_ < room_ ? std::numeric_limits<float>::quiet_NaN() : found_[0].score; }

  // Puts them in order, the nearest first. They are no longer a heap.
  void sort() { std::sort_heap(found_, found_ + size_, is_nearer); }

  int64_t size() const { return size_; }
  const Found& operator[](int64_t i) const { return found_[i]; }

 private:
  Found* found_ = nullptr;
  int64_t room_ = 0, size_ = 0;
};

}  // namespace lffn
