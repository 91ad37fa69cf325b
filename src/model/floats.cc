// SPDX-License-Identifier: Apache-2.0
#include "model/floats.h"

#include <algorithm>

namespace lffn {

size_t Floats::bytes_for(const std::vector<int64_t>& shape) {
  return checked_product(static_cast<size_t>(round_up(count_of(shape), kPanel)), sizeof(float));
}

Floats::Floats(const TensorView& tensor) : shape_(tensor.shape), values_(bytes_for(tensor.shape)) {
  const int64_t count = count_of(shape_);
  float* values = values_.as<float>();
  read_floats(tensor, 0, count, values);
  std::fill(values + count, values + round_up(count, kPanel), 0.0f);
}

void Floats::add_stored(const std::string& name, std::vector<TensorView>& tensors) const {
  tensors.push_back(view_of(name, DType::kF32, shape_, data()));
}

Norm::Norm(const NormTensors& tensors) : values_(bytes_for(tensors.size)) {
  float* values = values_.as<float>();
  read_floats(*tensors.gain, 0, tensors.size, values);
  read_floats(*tensors.shift, 0, tensors.size, values + tensors.size);
  plan_ = {tensors.size, tensors.eps, values, values + tensors.size};
}

void Norm::add_stored(const std::string& name, std::vector<TensorView>& tensors) const {
  tensors.push_back(view_of(name + ".weight", DType::kF32, {plan_.size}, plan_.gain));
  tensors.push_back(view_of(name + ".bias", DType::kF32, {plan_.size}, plan_.shift));
}

}  // namespace lffn
