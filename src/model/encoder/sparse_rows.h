// SPDX-License-Identifier: Apache-2.0
// Sparse vectors: tokens of the vocabulary and their weights, the largest first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lffn {

struct SparseLimits {
  int64_t most = INT64_MAX;  // weights of a vector: the largest ones
  float least = 0;           // weights are above it
};

class SparseRows {
 public:
  void clear() {
    offsets_.assign(1, 0);
    ids_.clear();
    weights_.clear();
  }
  // Appends a vector of all tokens that have been added since the last one.
  void add(int32_t id, float weight) { new_.emplace_back(id, weight); }
  // If a token has been added several times, only its largest weight stays.
  void keep_largest();
  void finish_row(const SparseLimits& limits);

  const std::vector<int64_t>& offsets() const { return offsets_; }
  const std::vector<int32_t>& ids() const { return ids_; }
  const std::vector<float>& weights() const { return weights_; }

 private:
  std::vector<std::pair<int32_t, float>> new_;
  std::vector<int64_t> offsets_ = {0};
  std::vector<int32_t> ids_;
  std::vector<float> weights_;
};

}  // namespace lffn
