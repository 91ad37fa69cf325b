// SPDX-License-Identifier: Apache-2.0
// The linear layers of a model: weights in panels, and running them on threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/safetensors.h"
#include "model/tensors/model_tensors.h"
#include "model/tensors/word_rows.h"
#include "model/tensors/workers.h"
#include "runtime/memory.h"

namespace lffn {

// Numbers of a model that stay float32: vectors, the tables of positions and types, and layer norms.

// Numbers followed by zeros up to a whole panel.
class Floats {
 public:
  Floats() = default;
  explicit Floats(const TensorView& tensor);
  static size_t bytes_for(const std::vector<int64_t>& shape);

  bool empty() const { return shape_.empty(); }
  const float* data() const { return values_.as<float>(); }
  int64_t num_parameters() const { return empty() ? 0 : count_of(shape_); }
  int64_t stored_bytes() const { return num_parameters() * static_cast<int64_t>(sizeof(float)); }
  size_t bytes() const { return values_.size(); }
  // Under exactly this name: a vector's name has no ending.
  void add_stored(const std::string& name, std::vector<TensorView>& tensors) const;

 private:
  std::vector<int64_t> shape_;
  Memory values_;
};

class Norm {
 public:
  Norm() = default;
  explicit Norm(const NormTensors& tensors);
  static size_t bytes_for(const NormTensors& tensors);

  bool empty() const { return plan_.size == 0; }
  const NormPlan& plan() const { return plan_; }
  int64_t num_parameters() const { return (has_shift_ ? 2 : 1) * plan_.size; }
  int64_t stored_bytes() const { return num_parameters() * static_cast<int64_t>(sizeof(float)); }
  size_t bytes() const { return values_.size(); }
  void add_stored(const std::string& name, std::vector<TensorView>& tensors) const;

 private:
  NormPlan plan_ = {};
  bool has_shift_ = false;
  const float* stored_gain_ = nullptr;  // as files have it
  Memory values_;                       // gain, then shift or zeros; then the gain as files have it, if it differs
};

class Linear {
 public:
  Linear() = default;
  // dtype: LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8 or LFFN_DTYPE_AS_STORED. input_bits: of int8 layers.
  Linear(const LinearTensors& tensors, int32_t dtype, const Kernels& kernels, RowBits input_bits = RowBits::kEight);
  static size_t bytes_for(int64_t inputs, int64_t outputs, int32_t dtype);
  // The type in which the weights are held if `wanted` is asked for.
  static int32_t dtype_of(const LinearTensors& tensors, int32_t wanted);

  bool empty() const { return outputs_ == 0; }
  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }
  int32_t dtype() const { return dtype_; }
  bool has_seven_bit_inputs() const { return dtype_ == LFFN_DTYPE_INT8 && input_bits_ == RowBits::kSeven; }
  int64_t flop_per_row() const { return 2 * inputs_ * outputs_; }
  int64_t num_parameters() const { return (inputs_ + (has_bias_ ? 1 : 0)) * outputs_; }
  int64_t stored_bytes() const { return inputs_ * outputs_ * weight_bytes() + stored_floats() * 4; }

  // Memory for rows as bytes with int8 layers; with bf16 layers for widened_cells() of each thread.
  struct Packed {
    int32_t* rows = nullptr;
    int64_t stride = 0;  // at least packed_cells(inputs)
  };
  static constexpr int64_t kWidened = 4 * kPanel;  // outputs whose weights become float32 at a time
  static int64_t widened_cells(int64_t inputs) { return inputs * kWidened; }
  static int64_t packed_cells(int64_t inputs) { return kRowHeader + ((inputs + 1) / 2 + 15) / 16 * 16; }

  // out (+)= activation(linear(norm(in))) for some rows. norm may be nullptr; otherwise `normed` has room for the rows
  // after the norm.
  struct Call {
    const Norm* norm = nullptr;
    Rows normed;
    Rows in;
    // Unless kNone, each row of `in` has two halves and the layer reads their product, see Kernels::gate.
    Gate gate = Gate::kNone;
    Activation gate_activation = Activation::kNone;
    int64_t rows = 0;
    int64_t first_output = 0;  // a multiple of kPanel
    int64_t outputs = 0;       // 0: all from the first on
    Packed packed;             // not used by float32 layers
    Activation activation = Activation::kNone;
    bool add = false;
    Rows out;
    const WordRowsOfTokens* ahead = nullptr;  // of the same tokens, prefetched on the way
    const WordRowsOfTokens* word_rows =
        nullptr;  // of the same tokens, added to with_word_rows once an int8 layer has read its in
    Rows with_word_rows;
  };
  void run(const Workers& workers, const Call& call) const;

  // Adds one layer for each name, as the layers that it was made of. Weights are unpacked while they are read.
  void add_stored(const std::vector<std::string>& names, std::vector<TensorView>& tensors,
                  std::vector<std::unique_ptr<const Bytes>>& sources) const;
  size_t bytes() const { return panels_.size() + bias_.size() + scales_.size() + sums_.size(); }

 private:
  class StoredRows;

  int64_t weight_bytes() const { return dtype_ == LFFN_DTYPE_INT8 ? 1 : dtype_ == LFFN_DTYPE_BF16 ? 2 : 4; }
  int64_t stored_floats() const { return outputs_ * ((dtype_ == LFFN_DTYPE_INT8 ? 1 : 0) + (has_bias_ ? 1 : 0)); }
  int64_t quads() const { return (inputs_ + 3) / 4; }
  // Where in the panels the weights of an output begin; those of four inputs lie side by side.
  int64_t int8_start(int64_t output) const { return (output / kPanel * quads() * kPanel + output % kPanel) * 4; }
  static int64_t int8_place(int64_t input) { return input / 4 * kPanel * 4 + input % 4; }
  void take_row(int64_t output, void* to) const;  // the row as it was before packing
  void pack_int8_row(const LinearTensors& tensors, size_t part, int64_t row, int64_t output, float* floats,
                     int8_t* integers);

  int64_t inputs_ = 0;
  int64_t outputs_ = 0;
  std::vector<int64_t> parts_;  // the outputs of each layer that it was made of
  int64_t rows_per_item_ = 0;
  int32_t dtype_ = LFFN_DTYPE_F32;
  RowBits input_bits_ = RowBits::kEight;
  bool has_bias_ = true;
  Memory panels_;  // of float32, of bf16, or of int8
  Memory bias_;    // zeros where there is none; padded to whole panels, as are the scales
  Memory scales_;  // int8 only: of each output's weights
  Memory sums_;    // int8 only: of each output's weights, one for each slice of the inputs
};

}  // namespace lffn
