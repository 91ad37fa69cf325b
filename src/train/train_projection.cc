// SPDX-License-Identifier: Apache-2.0
#include "train/train_projection.h"

#include <algorithm>

#include "runtime/threads.h"

namespace lffn {
namespace {

Memory block_floats(int64_t count) { return Memory(checked_product(static_cast<size_t>(count), sizeof(float))); }

}  // namespace

TrainShape::TrainShape(const LayerConfig& config) : dense(config.projection == 0), num_hashes(config.num_hashes()) {
  if (dense) {
    chains = factors = blocks = 1;
    block_in = round_up<int64_t>(config.hidden_size, kPanel);
    block_out = round_up(num_hashes, kPanel);
    chain_hashes = num_hashes;
    keep = 0;
  } else {
    chains = config.num_chains();
    factors = config.projection;
    block_in = block_out = std::max<int64_t>(config.block_size, kPanel);
    blocks = std::max<int64_t>(config.padded_size() / block_in, 1);
    chain_hashes = config.padded_size();
    keep = 1.0f - config.decay_coeff;
  }
  // A panel more than needed: rows a power of two apart would crowd into a few sets of the cache.
  width_in = blocks * block_in + kPanel;
  width_out = blocks * block_out + kPanel;
}

TrainProjection::TrainProjection(const LayerConfig& config, const TrainKernels& kernels, const float* weight,
                                 bool with_backward, int32_t num_threads)
    : shape_(config),
      kernels_(kernels),
      input_size_(config.hidden_size),
      stored_block_(config.block_size),
      hadamard_(std::min<int64_t>(config.padded_size(), shape_.block_out)),
      decay_(config.decay_coeff),
      forward_(block_floats(shape_.num_blocks() * shape_.block_size())),
      backward_(with_backward ? block_floats(shape_.num_blocks() * shape_.block_size()) : Memory()) {
  const Memory scratch = block_floats(num_threads * shape_.block_size());
  parallel_for(shape_.num_blocks(), num_threads, [&](int64_t block, int32_t thread) {
    pack(weight, block, scratch.as<float>() + thread * shape_.block_size());
  });
}

// Multiplies a block [out][in] by the part of H inside it, and a block of the last factor by decay_coeff, too. The
// operation is its own transpose.
void TrainProjection::fold(float* block, int64_t factor) const {
  if (shape_.dense) return;
  kernels_.transform(block, hadamard_, shape_.block_in);
  if (factor + 1 < shape_.factors) return;
  for (int64_t i = 0; i < shape_.block_size(); ++i) block[i] *= decay_;
}

void TrainProjection::pack(const float* weight, int64_t block, float* folded) const {
  const int64_t in = shape_.block_in, out = shape_.block_out;
  std::fill_n(folded, shape_.block_size(), 0.0f);
  if (shape_.dense) {
    for (int64_t o = 0; o < shape_.num_hashes; ++o) {
      std::copy_n(weight + o * input_size_, input_size_, folded + o * in);
    }
  } else {
    // Stored blocks lie along the diagonal of the packed one.
    const int64_t stored = stored_block_, inside = std::max<int64_t>(hadamard_ / stored, 1);
    const float* first = weight + block * inside * stored * stored;
    for (int64_t row = 0; row < inside * stored; ++row) {
      std::copy_n(first + row * stored, stored, folded + row * in + row / stored * stored);
    }
  }
  fold(folded, block / shape_.blocks % shape_.factors);
  float* forward = forward_.as<float>() + block * shape_.block_size();
  for (int64_t panel = 0; panel < out; panel += kPanel) {
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t o = panel; o < panel + kPanel; ++o) *forward++ = folded[o * in + i];
    }
  }
  if (backward_.size() == 0) return;
  float* backward = backward_.as<float>() + block * shape_.block_size();
  for (int64_t panel = 0; panel < in; panel += kPanel) {
    for (int64_t o = 0; o < out; ++o, backward += kPanel) std::copy_n(folded + o * in + panel, kPanel, backward);
  }
}

void TrainProjection::run_factor(int64_t chain, int64_t factor, const float* in, int64_t tokens, float* out) const {
  const TrainShape& s = shape_;
  const float* weights = forward_.as<float>() + (chain * s.factors + factor) * s.blocks * s.block_size();
  for (int64_t b = 0; b < s.blocks; ++b) {
    kernels_.product({in + b * s.block_in, s.width_in, 1, weights + b * s.block_size(), kPanel, s.block_in * kPanel,
                      out + b * s.block_out, s.width_out, tokens, s.block_out, s.block_in, false});
  }
  if (s.blocks == 1) return;
  for (int64_t t = 0; t < tokens; ++t) kernels_.transform(out + t * s.width_out, s.blocks, s.block_out);
}

int64_t TrainProjection::forward_scratch() const { return 2 * kTrainTile * shape_.width_out; }

void TrainProjection::forward(const float* u, int64_t tokens, const float* bias, float* z, float* scratch) const {
  const TrainShape& s = shape_;
  float* buffers[2] = {scratch, scratch + kTrainTile * s.width_out};
  for (int64_t chain = 0; chain < s.chains; ++chain) {
    const float* y = u;
    for (int64_t factor = 0; factor < s.factors; ++factor) {
      run_factor(chain, factor, y, tokens, buffers[factor % 2]);
      y = buffers[factor % 2];
    }
    const int64_t first = chain * s.chain_hashes, count = std::min(s.chain_hashes, s.num_hashes - first);
    for (int64_t t = 0; t < tokens; ++t) {
      const float *projected = y + t * s.width_out, *kept = u + t * s.width_in, *shift = bias + first;
      float* out = z + t * s.num_hashes + first;
      if (s.dense) {
        for (int64_t i = 0; i < count; ++i) out[i] = projected[i] + shift[i];
      } else {
        for (int64_t i = 0; i < count; ++i) out[i] = projected[i] + s.keep * kept[i] + shift[i];
      }
    }
  }
}

int64_t TrainProjection::backward_scratch() const {
  return kTrainTile * ((shape_.factors - 1) * shape_.width_out + 2 * std::max(shape_.width_in, shape_.width_out));
}

void TrainProjection::backward(const float* u, int64_t tokens, const float* dz, float* du, float* weight_grads,
                               bool add_grads, float* scratch) const {
  const TrainShape& s = shape_;
  // The inputs of the factors after the first, then two gradients.
  float* inputs = scratch;
  float* gradients = inputs + (s.factors - 1) * kTrainTile * s.width_out;
  const int64_t next = kTrainTile * std::max(s.width_in, s.width_out);
  const auto input = [&](int64_t factor) { return factor == 0 ? u : inputs + (factor - 1) * kTrainTile * s.width_out; };
  std::fill_n(du, tokens * s.width_in, 0.0f);
  for (int64_t chain = 0; chain < s.chains; ++chain) {
    for (int64_t factor = 0; factor + 1 < s.factors; ++factor) {
      run_factor(chain, factor, input(factor), tokens, inputs + factor * kTrainTile * s.width_out);
    }
    const int64_t first = chain * s.chain_hashes, count = std::min(s.chain_hashes, s.num_hashes - first);
    float* dy = gradients;
    for (int64_t t = 0; t < tokens; ++t) {
      const float* in = dz + t * s.num_hashes + first;
      float* out = dy + t * s.width_out;
      std::copy_n(in, count, out);
      std::fill_n(out + count, s.width_out - count, 0.0f);
      if (s.dense) continue;
      for (int64_t i = 0; i < count; ++i) du[t * s.width_in + i] += s.keep * in[i];
    }
    for (int64_t factor = s.factors - 1; factor >= 0; --factor) {
      if (s.blocks > 1) {
        for (int64_t t = 0; t < tokens; ++t) kernels_.transform(dy + t * s.width_out, s.blocks, s.block_out);
      }
      float* dx = factor == 0 ? du : dy == gradients ? gradients + next : gradients;
      for (int64_t b = 0; b < s.blocks; ++b) {
        const int64_t block = (chain * s.factors + factor) * s.blocks + b;
        kernels_.product({dy + b * s.block_out, 1, s.width_out, input(factor) + b * s.block_in, s.width_in, kPanel,
                          weight_grads + block * s.block_size(), s.block_in, s.block_out, s.block_in, tokens,
                          add_grads});
        kernels_.product({dy + b * s.block_out, s.width_out, 1, backward_.as<float>() + block * s.block_size(), kPanel,
                          s.block_out * kPanel, dx + b * s.block_in, s.width_in, tokens, s.block_in, s.block_out,
                          factor == 0});
      }
      dy = dx;
    }
  }
}

void TrainProjection::unpack_grads(float* packed, float* weight_grads, int32_t num_threads) const {
  const int64_t in = shape_.block_in;
  if (shape_.dense) {
    for (int64_t o = 0; o < shape_.num_hashes; ++o) {
      std::copy_n(packed + o * in, input_size_, weight_grads + o * input_size_);
    }
    return;
  }
  const int64_t stored = stored_block_, inside = std::max<int64_t>(hadamard_ / stored, 1);
  parallel_for(shape_.num_blocks(), num_threads, [&](int64_t block, int32_t) {
    float* folded = packed + block * shape_.block_size();
    fold(folded, block / shape_.blocks % shape_.factors);
    float* out = weight_grads + block * inside * stored * stored;
    for (int64_t row = 0; row < inside * stored; ++row) {
      std::copy_n(folded + row * in + row / stored * stored, stored, out + row * stored);
    }
  });
}

}  // namespace lffn
