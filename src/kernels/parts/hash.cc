// SPDX-License-Identifier: Apache-2.0
// Codes and scores, of float32.
#include "kernels/hash/hash.h"

#include "kernels/kernels.h"

namespace lffn {
namespace {

constexpr HashKernels hash_kernels() {
  HashKernels table = {};
  table.lanes = kLanes;
  table.tile_tokens = kCallTokens;
  table.hash_tile = hash_tiles<false>;
  table.hash_token = hash_one_token<false>;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr HashKernels kHashKernels = hash_kernels();
}

}  // namespace lffn
