// SPDX-License-Identifier: Apache-2.0
// How sparse queries are made without running a model: each token that a query has counts with a weight of its own, as
// sentence-transformers' SparseStaticEmbedding has them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/folder.h"
#include "format/safetensors.h"
#include "model/encoder/sparse_rows.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

class QueryWeights {
 public:
  // Of a folder with a tokenizer and weights; where its config.json names a file of tokens and weights instead, that
  // may lie in `root` as well. Throws Error.
  static QueryWeights read(const Folder& folder, const Folder& root, const int32_t* cancel);
  // Takes them out of the tensors of a single file; without a tokenizer where there are none. Throws Error.
  static QueryWeights take(std::vector<TensorView>& tensors, const int32_t* cancel);

  bool empty() const { return tokenizer_ == nullptr; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  int64_t size() const { return static_cast<int64_t>(weights_.size()); }
  // Appends a sparse vector for each sequence of token ids.
  void make(const int32_t* ids, const int64_t* offsets, int64_t num_sequences, const SparseLimits& limits,
            SparseRows& to) const;

  size_t bytes() const { return weights_.size() * sizeof(float); }
  // The tokenizer's text goes into `text`, which must last as long as the tensors.
  void add_stored(std::vector<TensorView>& tensors, std::string& text) const;

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<float> weights_;  // of each token of its vocabulary
};

}  // namespace lffn
