// SPDX-License-Identifier: Apache-2.0
// The vectors of all words: the embeddings, and the weights of a head that is tied to them. One copy serves both.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "format/safetensors.h"
#include "model/tensors/workers.h"
#include "runtime/memory.h"

namespace lffn {

class WordMatrix {
 public:
  WordMatrix() = default;
  // words: [words][size]. scales: one for each word where they are I8, else nullptr. dtype: LFFN_DTYPE_F32,
  // LFFN_DTYPE_BF16, LFFN_DTYPE_INT8 or LFFN_DTYPE_AS_STORED, which holds F16 as float32.
  WordMatrix(const TensorView& words, const TensorView* scales, int32_t dtype);

  static size_t bytes_for(int64_t words, int64_t size, int32_t dtype);

  bool empty() const { return num_words_ == 0; }
  int32_t dtype() const { return dtype_; }
  void read(int64_t word, float* out) const;
  // out += the vectors of some words, one after the other. row_of_id: nullptr, or which word each id means.
  void add(const Kernels& kernels, const int32_t* ids, const int32_t* row_of_id, int64_t count, float* out) const;
  // Prefetches what read() will read.
  void ask(int64_t word) const;

  // out = in * words + bias for some rows.
  struct Call {
    Rows in;
    int64_t rows = 0;
    const float* bias = nullptr;  // padded to whole panels; nullptr: none
    Rows out;
    uint8_t* scratch = nullptr;  // scratch_bytes(rows)
  };
  void score(const Workers& workers, const Call& call) const;
  // The same without rows for the whole vocabulary: take(first, count, scores) gets the scores of some words at a time.
  // Several threads call it at once, each with words of its own. call.out has room for most_scores() of each thread,
  // call.out.stride numbers from one thread's to the next.
  using Taker = std::function<void(int64_t, int64_t, const Rows&)>;
  void score(const Workers& workers, const Call& call, const Taker& take) const;
  // The most scores that a thread holds at once in any call of at most `most_rows` rows. A call with fewer rows may
  // hold more than one with more.
  int64_t most_scores(int64_t most_rows) const;
  size_t scratch_bytes(int64_t rows) const;

  // As `name`.weight, with the scales of int8 as `name`.weight.scale.
  void add_stored(const std::string& name, std::vector<TensorView>& tensors, std::vector<Memory>& memory) const;
  int64_t num_parameters() const { return num_words_ * size_; }
  int64_t stored_bytes() const;
  size_t bytes() const { return words_.size() + scales_.size() + sums_.size(); }

 private:
  size_t element_size() const { return dtype_ == LFFN_DTYPE_F32 ? 4 : dtype_ == LFFN_DTYPE_BF16 ? 2 : 1; }
  uint8_t* row(int64_t word) const {
    return words_.as<uint8_t>() + static_cast<size_t>(word * stride_) * element_size();
  }
  int64_t scratch_stride() const;
  int64_t words_per_item(int64_t rows) const;
  void prepare(const Workers& workers, const Call& call) const;
  void score_some(const Workers& workers, const Call& call, int64_t first, int64_t count, const Rows& out) const;

  int64_t num_words_ = 0;
  int64_t size_ = 0;
  int64_t stride_ = 0;  // numbers from one word to the next
  int32_t dtype_ = LFFN_DTYPE_F32;
  Memory words_;   // whole panels of rows, zeros behind each
  Memory scales_;  // int8 only, as are the sums of each word's numbers
  Memory sums_;
};

}  // namespace lffn
