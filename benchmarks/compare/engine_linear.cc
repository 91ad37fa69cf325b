// SPDX-License-Identifier: Apache-2.0
// A linear layer of liblookupffn by itself, which only models have: the library has no call for it.
#include "engine.h"
#include "layer/layer.h"
#include "model/tensors/linear.h"

namespace compare {
namespace {

using lffn::Linear;

lffn::TensorView view(const char* name, std::vector<int64_t> shape, const float* data) {
  return lffn::view_of(name, lffn::DType::kF32, std::move(shape), data);
}

class LinearEngine : public Engine {
 public:
  LinearEngine(const Problem& problem, int32_t dtype, int threads)
      : kernels_(lffn::usable_kernels()), inputs_(problem.shape().d), outputs_(problem.shape().t), threads_(threads) {
    const lffn::TensorView weight = view("weight", {outputs_, inputs_}, problem.w1());
    const lffn::TensorView bias = view("bias", {outputs_}, problem.b1());
    lffn::LinearTensors tensors;
    tensors.inputs = inputs_;
    tensors.outputs = outputs_;
    tensors.weights = {&weight};
    tensors.scales = {nullptr};
    tensors.biases = {&bias};
    linear_ = Linear(tensors, dtype, kernels_);
    packed_.resize(static_cast<size_t>(kRows * stride()));
  }

  // In ranges of rows, as a model runs it.
  void run(const float* x, int64_t n, float* y) override {
    for (int64_t first = 0; first < n; first += kRows) {
      Linear::Call call;
      call.in = {const_cast<float*>(x) + first * inputs_, inputs_};
      call.rows = std::min(kRows, n - first);
      call.packed = {packed_.data(), stride()};
      call.out = {y + first * outputs_, outputs_};
      linear_.run({kernels_, threads_, false, nullptr}, call);
    }
  }

 private:
  static constexpr int64_t kRows = 1024;
  int64_t stride() const { return Linear::packed_cells(inputs_); }

  const lffn::Kernels& kernels_;
  int64_t inputs_, outputs_;
  int threads_;
  Linear linear_;
  std::vector<int32_t> packed_;
};

}  // namespace

std::unique_ptr<Engine> make_linear_f32(Problem& problem, int threads, std::string*) {
  return std::make_unique<LinearEngine>(problem, LFFN_DTYPE_F32, threads);
}

std::unique_ptr<Engine> make_linear_int8(Problem& problem, int threads, std::string*) {
  return std::make_unique<LinearEngine>(problem, LFFN_DTYPE_INT8, threads);
}

}  // namespace compare
