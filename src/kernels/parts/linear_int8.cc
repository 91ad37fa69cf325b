// SPDX-License-Identifier: Apache-2.0
// Products of int8.
#include "kernels/linear/linear_int8.h"

#include "kernels/gather/words.h"
#include "kernels/kernels.h"
#include "kernels/search/many.h"

namespace lffn {
namespace {

constexpr LinearInt8Kernels linear_int8_kernels() {
  LinearInt8Kernels table = {};
  table.linear_int8 = linear_int8;
  table.quantise_rows = quantise_rows;
  table.score_words = score_words;
  table.multiply_many = multiply_many;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr LinearInt8Kernels kLinearInt8Kernels = linear_int8_kernels();
}

}  // namespace lffn
