// SPDX-License-Identifier: Apache-2.0
// The best rows of a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lffn::sql {

struct Found {
  int64_t id;
  double similarity;  // NaN of vectors that have none: behind all others
};

// The best `most` of all that are offered, equal ones by their ids: the same in whichever order they are offered.
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
