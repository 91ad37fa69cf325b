// SPDX-License-Identifier: Apache-2.0
// This instruction set's IntegerKernels.
#pragma once

#include "kernels/attention/attention_int8.h"
#include "kernels/gather/gather_int8.h"
#include "kernels/gather/words.h"
#include "kernels/hash/hash.h"
#include "kernels/kernels.h"
#include "kernels/linear/linear_int8.h"
#include "kernels/search/many.h"

namespace lffn {
namespace {

// By name: many are of one type, and nothing else would tell two that changed places.
constexpr IntegerKernels integer_kernels() {
  IntegerKernels table = {};
  table.hash_cell_inputs = kCellInputs;
  table.hash_outputs = kOutputsInt8;
  table.dense_tiles = kDenseTiles;
  table.hash_scratch = hash_scratch;
  table.hash_tile_int8 = hash_tiles<true>;
  table.hash_token_int8 = hash_one_token<true>;
  table.gather_int8 = gather_int8;
  table.linear_int8 = linear_int8;
  table.quantise_rows = quantise_rows;
  table.score_words = score_words;
  table.attention_int8_scratch = attention_int8_scratch;
  table.attend_int8 = attend_int8;
  table.multiply_many = multiply_many;
  return table;
}

constexpr IntegerKernels kIntegerKernels = integer_kernels();

}  // namespace
}  // namespace lffn
