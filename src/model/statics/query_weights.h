// SPDX-License-Identifier: Apache-2.0
// Makes sparse queries without running a model: each token of a query has a fixed weight, as in sentence-transformers'
// SparseStaticEmbedding.
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
  // Reads a folder with a tokenizer and weights. If its config.json names a file of tokens and weights instead, that
  // file may also lie in `root`. Throws Error.
  static QueryWeights read(const Folder& folder, const Folder& root, const int32_t* cancel);
  // Takes them out of the tensors of a single file; the result is empty() if there are none. Throws Error.
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
  std::vector<float> weights_;  // one for each token of the vocabulary
};

}  // namespace lffn
