// SPDX-License-Identifier: Apache-2.0
// Codes and scores, of int8, and the rows that are gathered with their bytes.
#include "kernels/gather/gather_int8.h"
#include "kernels/hash/hash.h"
#include "kernels/kernels.h"

namespace lffn {
namespace {

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
extern constexpr HashInt8Kernels kHashInt8Kernels = hash_int8_kernels();
}

}  // namespace lffn
