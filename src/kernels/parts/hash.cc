// SPDX-License-Identifier: Apache-2.0
// Codes and scores, and the gathering of int8 rows by products of bytes.
#include "kernels/hash/hash.h"

#include "kernels/gather/gather_int8.h"
#include "kernels/kernels.h"

namespace lffn {
namespace {

#if !defined(LFFN_INT8_ONLY)
constexpr HashKernels hash_kernels() {
  HashKernels table = {};
  table.lanes = kLanes;
  table.tile_tokens = kCallTokens;
  table.hash_tile = hash_tiles<false>;
  table.hash_token = hash_one_token<false>;
  return table;
}
#endif

constexpr HashInt8Kernels hash_int8_kernels() {
  HashInt8Kernels table = {};
  table.hash_cell_inputs = kCellInputs;
  table.hash_outputs = kOutputsInt8;
  table.dense_tiles = kDenseTiles;
  table.hash_scratch = hash_scratch;
  table.hash_tile_int8 = hash_tiles<true>;
  table.hash_token_int8 = hash_one_token<true>;
  table.gather_int8 = gather_int8;
  return table;
}

}  // namespace

namespace LFFN_SET {
#if !defined(LFFN_INT8_ONLY)
extern constexpr HashKernels kHashKernels = hash_kernels();
#endif
extern constexpr HashInt8Kernels kHashInt8Kernels = hash_int8_kernels();
}  // namespace LFFN_SET

}  // namespace lffn
