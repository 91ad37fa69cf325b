// The linear layers and layer norms of a model: weights in panels, and running them on threads.
#pragma once

#include <string>
#include <vector>

#include "format/safetensors.h"
#include "model/model_tensors.h"
#include "model/workers.h"
#include "runtime/memory.h"

namespace lffn {

class Norm {
 public:
  Norm() = default;
  Norm(const NormTensors& tensors, int64_t size, float eps);
  const NormPlan& plan() const { return plan_; }
  void add_stored(const std::string& prefix, std::vector<TensorView>& tensors) const;
  size_t bytes() const { return values_.size(); }

 private:
  NormPlan plan_ = {};
  Memory values_;  // gain, then shift
};

class Linear {
 public:
  Linear() = default;
  // dtype: LFFN_F32, LFFN_INT8 or LFFN_DTYPE_AS_STORED.
  Linear(const LinearTensors& tensors, int32_t dtype, const Kernels& kernels);
  int32_t dtype() const { return dtype_; }
  int64_t flop_per_row() const { return 2 * inputs_ * outputs_; }
  int64_t num_parameters() const { return (inputs_ + 1) * outputs_; }
  int64_t stored_bytes() const { return inputs_ * outputs_ * (dtype_ == LFFN_INT8 ? 1 : 4) + stored_floats() * 4; }

  // Rows as pairs of integers, with a scale for each.
  struct Packed {
    int32_t* pairs = nullptr;
    int64_t stride = 0;
    float* scales = nullptr;
  };

  // out (+)= activation(linear(norm(in))) for so many rows. norm may be nullptr; otherwise `normed` is room for the
  // rows after it.
  struct Call {
    const Norm* norm = nullptr;
    Rows normed;
    Rows in;
    int64_t rows = 0;
    Packed packed;  // int8 only: room for the rows as integers
    Activation activation = Activation::kNone;
    bool add = false;
    Rows out;
  };
  void run(const Workers& workers, const Call& call) const;

  // As one layer for each name, which share the outputs evenly.
  void add_stored(const std::string& prefix, const std::vector<const char*>& names, std::vector<TensorView>& tensors,
                  std::vector<Memory>& memory) const;
  size_t bytes() const { return panels_.size() + bias_.size() + scales_.size(); }

 private:
  int64_t stored_floats() const { return outputs_ * (dtype_ == LFFN_INT8 ? 2 : 1); }
  int64_t pairs() const { return (inputs_ + 1) / 2; }
  void pack_int8_row(const LinearTensors& tensors, size_t part, int64_t row, int64_t output, float* floats,
                     int8_t* integers);

  int64_t inputs_ = 0;
  int64_t outputs_ = 0;
  int64_t rows_per_item_ = 0;
  int32_t dtype_ = LFFN_F32;
  float steps_ = 0;  // int8: what a row's largest input becomes
  Memory panels_;    // of float32, or of pairs of int8
  Memory bias_;      // padded to whole panels, as are the scales
  Memory scales_;    // int8 only: of each output's weights
};

int64_t round_up(int64_t n, int64_t unit);

// All numbers of a float tensor as float32, and zeros behind them up to `size`.
Memory read_padded(const TensorView& tensor, int64_t size);

// A view of floats in memory, for saving.
TensorView float_view(std::string name, std::vector<int64_t> shape, const float* data);

}  // namespace lffn
