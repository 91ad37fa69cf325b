// SPDX-License-Identifier: Apache-2.0
// Attention of float32.
#include "kernels/attention/attention.h"

#include "kernels/kernels.h"

namespace lffn {
namespace {

constexpr AttentionKernels attention_kernels() {
  AttentionKernels table = {};
  table.attention_scratch = attention_scratch;
  table.attend = attend;
  return table;
}

}  // namespace

namespace LFFN_SET {
extern constexpr AttentionKernels kAttentionKernels = attention_kernels();
}

}  // namespace lffn
