// SPDX-License-Identifier: Apache-2.0
// How a model is loaded: the options of layers, and those that only models have.
#pragma once

#include <cstdint>
#include <string>

#include "layer/layer.h"

namespace lffn {

struct ModelLoadOptions : LoadOptions {
  int32_t linear_dtype = LFFN_DTYPE_AS_STORED;     // of linear layers
  int32_t embedding_dtype = LFFN_DTYPE_AS_STORED;  // of word embeddings and the decoder: also LFFN_DTYPE_BF16
  int32_t attention_dtype = LFFN_DTYPE_AS_STORED;  // as stored: as its linear layers
  int32_t word_dtype = LFFN_DTYPE_AS_STORED;       // of rows by word: also LFFN_DTYPE_BF16 and LFFN_DTYPE_INT4
  bool seven_bit_inputs = false;                   // of int8 linear layers
  std::string adapter;                             // empty: none
};

}  // namespace lffn
