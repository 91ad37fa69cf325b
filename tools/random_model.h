// SPDX-License-Identifier: Apache-2.0
// Models with random weights, of any shape, for tests and benchmarks.
#pragma once

#include <string>
#include <vector>

#include "format/safetensors.h"
#include "model/families/family.h"
#include "runtime/memory.h"

struct RandomModelShape {
  const lffn::Family* family = &lffn::kAuthors;  // or a post-norm one that has BERT's keys
  int32_t word_size = 20;                        // of words' vectors, where the family widens them
  int32_t buckets = 32;                          // of distances, where the family has any
  int32_t hidden_size = 64;
  int32_t num_heads = 4;
  int32_t head_size = 16;
  int32_t vocab_size = 301;
  int32_t max_tokens = 600;
  std::string ffn_kinds = "lv";  // for each layer: l lookup, v vanilla, w lookup with a linear layer beside it, n none
  std::vector<int32_t> heads;    // of each layer; empty: num_heads
  std::vector<int32_t> neurons;  // of each layer, 0 where it is not vanilla; empty: intermediate_size
  std::vector<bool> has_word_rows;             // each layer's rows by word; empty: none
  int32_t word_rows = 0;                       // how many rows; 0: as many as there are words
  lffn::DType word_dtype = lffn::DType::kF32;  // kBF16, kI8, or kU8 for four bits
  int32_t intermediate_size = 128;
  int32_t num_tables = 12;
  int32_t table_size = 16;
  int32_t block_size = 16;
  int32_t projection = 4;  // LFFN_PROJECTION_
  int32_t num_classes = 3;
  bool lm_head = true;
};

struct RandomModel {
  std::string config;                     // JSON
  std::vector<lffn::TensorView> tensors;  // into memory
  std::vector<lffn::Memory> memory;

  void write(const std::string& path) const;  // as a single file
};

RandomModel random_model(const RandomModelShape& shape);
