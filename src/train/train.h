// SPDX-License-Identifier: Apache-2.0
// The forward and backward pass of a layer over weights that the caller owns and changes between calls: nothing is
// kept.
// The sums over tokens are cut into parts by the number of tokens alone, so results do not depend on the threads.
#pragma once

#include <cstdint>

#include "format/layer_config.h"
#include "kernels/train/train_kernels.h"

namespace lffn {

// In the shapes of the file format. The norm's are not used without layer norm.
template <typename Number>
struct TrainTensors {
  Number* norm_gain = nullptr;
  Number* norm_shift = nullptr;
  Number* hash_weight = nullptr;
  Number* hash_bias = nullptr;
  Number* tables = nullptr;
  Number* bias = nullptr;
};
using TrainWeights = TrainTensors<const float>;
using TrainGradients = TrainTensors<float>;

struct TrainCall {
  const LayerConfig& config;  // checked, one probe
  const TrainKernels& kernels;
  int32_t num_threads;
  TrainWeights weights;
  const float* x;
  int64_t num_tokens;
};

// z, the hash values, may be nullptr where no backward follows.
void train_forward(const TrainCall& call, float* y, float* z);

// Overwrites all gradients; grad_x may be nullptr.
void train_backward(const TrainCall& call, const float* z, const float* grad_y, float* grad_x,
                    const TrainGradients& grads);

}  // namespace lffn
