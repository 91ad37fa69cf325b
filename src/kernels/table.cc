// SPDX-License-Identifier: Apache-2.0
// The kernels for one instruction set. Compiled once for each, with its flags, LFFN_TABLE and LFFN_ISA_NAME.
#include "kernels/attention/attention.h"
#include "kernels/gather/gather.h"
#include "kernels/gather/gather_slabs.h"
#include "kernels/gather/word_rows.h"
#include "kernels/integer_kernels.h"
#include "kernels/kernels.h"
#include "kernels/linear/gate.h"
#include "kernels/linear/linear.h"
#include "kernels/linear/panels.h"
#include "kernels/linear/two_vectors.h"
#include "kernels/search/scan.h"
#include "kernels/search/scan_bits.h"
#include "kernels/search/select.h"

namespace lffn {
namespace {

// By name, as integer_kernels().
constexpr Kernels all_kernels() {
  Kernels table = {};
  static_cast<IntegerKernels&>(table) = kIntegerKernels;
  table.name = LFFN_ISA_NAME;
  table.lanes = kLanes;
  table.tile_tokens = kCallTokens;
  table.hash_tile = hash_tiles<false>;
  table.hash_token = hash_one_token<false>;
  table.gather_f32 = gather_f32;
  table.gather_f32_many = gather_f32_many;
  table.gather_bf16 = gather_bf16;
  table.gather_int8_scores = gather_int8_scores;
  table.quantise_scores = quantise_scores;
  table.int8_position = int8_position;
  table.linear = linear;
  table.lay_panels = lay_panels;
  table.widen = widen;
  table.normalise = normalise;
  table.attention_scratch = attention_scratch;
  table.attend = attend;
  table.gate = gate;
  table.add_word_rows = add_word_rows;
  table.compare_f32 = compare_f32;
  table.compare_int8 = compare_int8;
  table.different_bits = different_bits;
  table.scan_f32 = scan_f32;
  table.scan_int8 = scan_int8;
  table.scan_bits = scan_bits;
  table.select_scores = select_scores;
  return table;
}

}  // namespace

constexpr Kernels LFFN_TABLE = all_kernels();

}  // namespace lffn
