// SPDX-License-Identifier: Apache-2.0
#include "search/tile.h"

#include "search/query_block.h"

namespace lffn {

void fill_with(float value, float* to, int64_t count) { std::fill_n(to, count, value); }

bool TileFiller::fill(int64_t& at, int64_t end, bool lengths_later, Tile& tile) const {
  const VectorBlock& vectors = call_.vectors;
  int64_t count = 0;
  if (scattered()) {
    const int64_t bytes = vector_bytes(call_.kind, call_.size);
    for (; count < most_ && at < end; ++at) {
      const int64_t vector = call_.has_candidates ? call_.candidates[at] : at;
      if (!takes_part(vector)) continue;
      const uint8_t* const row = vectors.data + vector * vectors.stride;
      // The processor cannot predict where the next vector lies.
      for (int64_t byte = 0; byte < bytes; byte += 64) __builtin_prefetch(row + byte);
      tile.rows[count++] = row;
    }
  } else {
    count = std::min(most_, end - at);
    const uint8_t* row = vectors.data + at * vectors.stride;
    for (int64_t i = 0; i < count; ++i, row += vectors.stride) tile.rows[i] = row;
    at += count;
  }
  tile.count = count;
  find_factors(lengths_later, tile);
  return count > 0;
}

void TileFiller::find_factors(bool lengths_later, Tile& tile) const {
  const float* const scales = call_.vectors.scales;
  if (call_.measure == Measure::kCosine) {
    if (!lengths_later) find_lengths(kernels_, call_, tile.rows, tile.count, ahead(), tile.factors);
  } else if (scales == nullptr) {
    return;  // prepare() has set them
  } else if (scattered()) {
    for (int64_t r = 0; r < tile.count; ++r) tile.factors[r] = scales[vector_of(tile.rows[r])];
  } else if (tile.count > 0) {
    std::copy_n(scales + vector_of(tile.rows[0]), tile.count, tile.factors);
  }
}

}  // namespace lffn
