// SPDX-License-Identifier: Apache-2.0
#include "model/tensors/linear.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "format/tensor_numbers.h"
#include "kernels/kernels.h"

namespace lffn {
namespace {

// What is finite in a file stays finite, whatever it is held as.
TEST(Linear, HugeScalesGiveNoInfinities) {
  const int64_t outputs = 20, inputs = 7;
  std::vector<int8_t> integers(static_cast<size_t>(outputs * inputs));
  for (size_t i = 0; i < integers.size(); ++i) integers[i] = static_cast<int8_t>(i * 91 % 256 - 128);
  const std::vector<float> scales(static_cast<size_t>(outputs), std::numeric_limits<float>::max());
  const std::vector<float> zeros(static_cast<size_t>(outputs));
  TensorView weight;
  weight.dtype = DType::kI8;
  weight.shape = {outputs, inputs};
  weight.data = reinterpret_cast<const uint8_t*>(integers.data());
  weight.size = integers.size();
  const TensorView scale = view_of("scale", DType::kF32, {outputs}, scales.data()),
                   bias = view_of("bias", DType::kF32, {outputs}, zeros.data());
  LinearTensors tensors;
  tensors.inputs = inputs;
  tensors.outputs = outputs;
  tensors.weights = {&weight};
  tensors.scales = {&scale};
  tensors.biases = {&bias};
  const Linear linear(tensors, LFFN_DTYPE_F32, usable_kernels());
  std::vector<TensorView> stored;
  std::vector<std::unique_ptr<const Bytes>> sources;
  linear.add_stored({"x"}, stored, sources);
  std::vector<float> held(integers.size());
  ASSERT_EQ(stored[0].size, held.size() * sizeof(float));
  stored[0].read(0, stored[0].size, held.data());
  for (size_t i = 0; i < integers.size(); ++i) {
    ASSERT_TRUE(std::isfinite(held[i])) << i;
    ASSERT_EQ(held[i] > 0, integers[i] > 0) << i;
  }
}

}  // namespace
}  // namespace lffn
