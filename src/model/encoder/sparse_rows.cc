// SPDX-License-Identifier: Apache-2.0
#include "model/encoder/sparse_rows.h"

#include <algorithm>

namespace lffn {

void SparseRows::keep_largest() {
  std::sort(new_.begin(), new_.end());
  const auto is_followed = [](const auto& a, const auto& b) { return a.first == b.first; };
  // Backwards, because the last weight of each token is its largest.
  new_.erase(new_.begin(), std::unique(new_.rbegin(), new_.rend(), is_followed).base());
}

void SparseRows::finish_row(const SparseLimits& limits) {
  const auto is_before = [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  };
  // NaN is not above the least weight and goes, too: it has no place in a sorting order.
  const auto is_left_out = [&](const auto& entry) { return !(entry.second > limits.least); };
  new_.erase(std::remove_if(new_.begin(), new_.end(), is_left_out), new_.end());
  const auto count = std::min(limits.most, static_cast<int64_t>(new_.size()));
  std::partial_sort(new_.begin(), new_.begin() + count, new_.end(), is_before);
  for (int64_t i = 0; i < count; ++i) {
    ids_.push_back(new_[static_cast<size_t>(i)].first);
    weights_.push_back(new_[static_cast<size_t>(i)].second);
  }
  offsets_.push_back(static_cast<int64_t>(ids_.size()));
  new_.clear();
}

}  // namespace lffn
