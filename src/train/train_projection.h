// SPDX-License-Identifier: Apache-2.0
// The projection of a layer that is being trained, for tiles of tokens: chains of products, forward and backward.
#pragma once

#include <cstdint>

#include "format/layer_config.h"
#include "kernels/train/train_kernels.h"
#include "runtime/memory.h"

namespace lffn {

constexpr int64_t kTrainTile = 48;  // tokens

// A dense projection is one chain of one factor of one block. The part of H that stays inside a block, and decay_coeff,
// are multiplied into the weights; blocks are at least a panel wide.
struct TrainShape {
  explicit TrainShape(const LayerConfig& config);

  bool dense;
  int64_t chains, factors, blocks;
  int64_t block_in, block_out;
  int64_t width_in, width_out;  // floats from token to token before and after a factor
  int64_t chain_hashes;         // of each chain but the last
  int64_t num_hashes;
  float keep;  // the share of the input in z
  int64_t block_size() const { return block_in * block_out; }
  int64_t num_blocks() const { return chains * factors * blocks; }
};

class TrainProjection {
 public:
  TrainProjection(const LayerConfig& config, const TrainKernels& kernels, const float* weight, bool with_backward,
                  int32_t num_threads);

  const TrainShape& shape() const { return shape_; }
  // Floats of scratch for a tile.
  int64_t forward_scratch() const;
  int64_t backward_scratch() const;
  // u [tokens][width_in] -> z [tokens][num_hashes].
  void forward(const float* u, int64_t tokens, const float* bias, float* z, float* scratch) const;
  // dz -> du, and the gradients of the packed weights, written or added to: [num_blocks][block_out][block_in].
  void backward(const float* u, int64_t tokens, const float* dz, float* du, float* weight_grads, bool add_grads,
                float* scratch) const;
  // From the gradients of the packed weights to those of the weights as stored.
  void unpack_grads(float* packed, float* weight_grads, int32_t num_threads) const;

 private:
  void fold(float* block, int64_t factor) const;
  void pack(const float* weight, int64_t block, float* folded) const;
  void run_factor(int64_t chain, int64_t factor, const float* in, int64_t tokens, float* out) const;

  TrainShape shape_;
  const TrainKernels& kernels_;
  int64_t input_size_, stored_block_, hadamard_;
  float decay_;
  Memory forward_, backward_;  // [num_blocks] of panels, for products with the weights and with their transposes
};

}  // namespace lffn
