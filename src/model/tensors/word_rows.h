// SPDX-License-Identifier: Apache-2.0
// A layer's rows by word: each token's row, chosen by its id, is added in the feed-forward block. The rows are used as
// they lie in the file, mapped if the load options say so, else read once; or in another element type, if one is
// wanted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/tensors/model_tensors.h"
#include "model/tensors/workers.h"
#include "runtime/memory.h"

namespace lffn {

// The row of each word, if it is not simply the word's number.
class RowNumbers {
 public:
  RowNumbers() = default;
  explicit RowNumbers(const TensorView& tensor);
  static size_t bytes_for(const TensorView& tensor) { return tensor.size; }

  bool empty() const { return values_.size() == 0; }
  const int32_t* data() const { return values_.as<int32_t>(); }
  int64_t num_parameters() const { return 0; }  // chosen, not learned
  int64_t stored_bytes() const { return static_cast<int64_t>(values_.size()); }
  size_t bytes() const { return values_.size(); }
  void add_stored(const std::string& name, std::vector<TensorView>& tensors) const;

 private:
  Memory values_;
};

class WordRows {
 public:
  WordRows() = default;
  // dtype: LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8, LFFN_DTYPE_INT4 or LFFN_DTYPE_AS_STORED.
  WordRows(const WordRowTensors& tensors, int32_t dtype);
  // The memory that it allocates; mapped rows are not counted.
  static size_t bytes_for(const WordRowTensors& tensors, int32_t dtype);

  bool empty() const { return num_rows_ == 0; }
  int64_t num_rows() const { return num_rows_; }
  int32_t dtype() const;  // LFFN_, LFFN_DTYPE_F16 among them
  // out += the rows of some tokens; `asked` says that ask() was called for them.
  void add(const Kernels& kernels, const int32_t* ids, const RowNumbers& row_of_word, int64_t tokens, const Rows& out,
           bool asked) const;

  int64_t flop_per_row() const { return size_ * (scales_.size() > 0 ? 2 : 1); }
  // Prefetches the rows of some tokens, so that they are in the cache when they are added.
  void ask(const int32_t* ids, const RowNumbers& row_of_word, int64_t tokens) const;
  int64_t row_bytes() const { return row_bytes_; }

  int64_t num_parameters() const { return num_rows_ * size_; }
  int64_t stored_bytes() const { return static_cast<int64_t>(rows_bytes() + scales_.size()); }
  size_t bytes() const { return read_.size() + scales_.size(); }
  void add_stored(const std::string& name, std::vector<TensorView>& tensors) const;

 private:
  const uint8_t* rows() const { return mapped_ != nullptr ? mapped_.get() : read_.as<uint8_t>(); }
  size_t rows_bytes() const { return static_cast<size_t>(num_rows_ * row_bytes_); }
  void convert(const WordRowTensors& tensors);

  int64_t num_rows_ = 0;
  int64_t size_ = 0;  // columns
  int64_t row_bytes_ = 0;
  DType dtype_ = DType::kF32;
  std::shared_ptr<const uint8_t> mapped_;  // either this
  Memory read_;                            // or this
  Memory scales_;                          // I8 and U8 only
};

// A layer's rows for some tokens of a call, which are known before the layer begins.
struct WordRowsOfTokens {
  const WordRows* words;
  const RowNumbers* row_of_word;
  const int32_t* ids;
  void ask(int64_t first, int64_t tokens) const { words->ask(ids + first, *row_of_word, tokens); }
  // For rows that have been prefetched.
  void add(const Kernels& kernels, int64_t first, int64_t tokens, const Rows& out) const {
    words->add(kernels, ids + first, *row_of_word, tokens, out, true);
  }
};

}  // namespace lffn
