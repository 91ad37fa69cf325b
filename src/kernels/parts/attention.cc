// SPDX-License-Identifier: Apache-2.0
// Attention of float32 and of int8.
#include "kernels/attention/attention.h"

#include "kernels/attention/attention_int8.h"
#include "kernels/kernels.h"

namespace lffn {
namespace {

#if !defined(LFFN_INT8_ONLY)
constexpr AttentionKernels attention_kernels() {
  AttentionKernels table = {};
  table.attention_scratch = attention_scratch;
  table.attend = attend;
  return table;
}
#endif

constexpr AttentionInt8Kernels attention_int8_kernels() {
  AttentionInt8Kernels table = {};
  table.attention_int8_scratch = attention_int8_scratch;
  table.attend_int8 = attend_int8;
  return table;
}

}  // namespace

namespace LFFN_SET {
#if !defined(LFFN_INT8_ONLY)
extern constexpr AttentionKernels kAttentionKernels = attention_kernels();
#endif
extern constexpr AttentionInt8Kernels kAttentionInt8Kernels = attention_int8_kernels();
}  // namespace LFFN_SET

}  // namespace lffn
