// SPDX-License-Identifier: Apache-2.0
// The best rows of a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lffn::sql {

struct Found {
  int64_t id;
  double similarity;  // NaN if the vectors have none; comes behind all others
};

// The best `most` of all offered rows, equal ones by their ids: the result does not depend on the order of offering.
class Best {
 public:
  explicit Best(int64_t most) : most_(static_cast<size_t>(most)) {}
  void offer(Found one);
  std::vector<Found> take();  // best first; to be called once, at the end

 private:
  size_t most_;
  std::vector<Found> heap_;  // the worst one in front
};

}  // namespace lffn::sql
