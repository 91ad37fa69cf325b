// SPDX-License-Identifier: Apache-2.0
// Some of the vectors that take part. They meet all queries while they are in the cache.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/search/search_plans.h"
#include "search/top_k.h"

namespace lffn {

constexpr int64_t kMostTileRows = 192;  // a multiple of kPanel and of kManyRows

struct Tile {
  const uint8_t* rows[kMostTileRows];
  float factors[kMostTileRows];  // by which sums are multiplied or divided
  int64_t count;
};

void fill_with(float value, float* to, int64_t count);

// Walks over vectors or candidates.
class TileFiller {
 public:
  TileFiller(const Kernels& kernels, const TopK& call, int64_t most) : kernels_(kernels), call_(call), most_(most) {}

  // Sets what all tiles share.
  void prepare(Tile& tile) const { fill_with(call_.vectors.scale, tile.factors, kMostTileRows); }

  // Takes the next vectors from `at` on, before `end`, and moves `at` behind them. false: there are none.
  // lengths_later: the caller finds their lengths later, beside their sums.
  bool fill(int64_t& at, int64_t end, bool lengths_later, Tile& tile) const;

  // The number of the vector that lies there.
  int64_t vector_of(const uint8_t* row) const { return (row - call_.vectors.data) / call_.vectors.stride; }

  // How many bytes ahead rows are prefetched.
  int64_t ahead() const { return scattered() ? 0 : kAskedAhead; }

 private:
  bool scattered() const { return call_.has_candidates || call_.taking_part != nullptr; }
  bool takes_part(int64_t vector) const {
    return call_.taking_part == nullptr || (call_.taking_part[vector / 8] >> (vector % 8) & 1) != 0;
  }
  void find_factors(bool lengths_later, Tile& tile) const;

  const Kernels& kernels_;
  const TopK& call_;
  int64_t most_;
};

}  // namespace lffn
