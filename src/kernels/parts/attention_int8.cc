// SPDX-License-Identifier: Apache-2.0
// Attention of int8.
#include "kernels/attention/attention_int8.h"

#include "kernels/kernels.h"

namespace lffn {
namespace {

constexpr AttentionInt8Kernels attention_int8_kernels() {
  AttentionInt8Kernels table = {};
  table.attention_int8_scratch = attention_int8_scratch;
  table.attend_int8 = attend_int8;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr AttentionInt8Kernels kAttentionInt8Kernels = attention_int8_kernels();
}

}  // namespace lffn
