// SPDX-License-Identifier: Apache-2.0
// Random weights for trials and benchmarks. Only exact arithmetic, so that every machine draws the same.
#include <cmath>

#include "layer/layer.h"
#include "layer/tensors.h"
#include "lookupffn/layer.h"

namespace lffn {
namespace {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // Uniform, of mean 0 and the given standard deviation.
  float next(float deviation) {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const float unit = static_cast<float>(z >> 40) * 0x1p-24f;  // [0, 1)
    return (unit - 0.5f) * (3.4641016f * deviation);
  }

 private:
  uint64_t state_;
};

}  // namespace

std::vector<TensorView> random_weights(const LayerConfig& config, uint64_t seed, std::vector<Memory>& memory) {
  Random random(seed);
  std::vector<TensorView> tensors;
  const auto add = [&](const char* name, std::vector<int64_t> shape, float mean, float deviation) {
    size_t count = 1;
    for (const int64_t size : shape) count = checked_product(count, static_cast<size_t>(size));
    memory.emplace_back(checked_product(count, sizeof(float)));
    float* values = memory.back().as<float>();
    for (size_t i = 0; i < count; ++i) values[i] = mean + random.next(deviation);
    tensors.push_back(view_of(name, DType::kF32, std::move(shape), memory.back().data()));
  };
  // With these deviations normalised inputs keep about their scale up to the hash values, and outputs are near it.
  const float inputs = config.projection == LFFN_PROJECTION_DENSE
                           ? static_cast<float>(config.hidden_size)
                           : static_cast<float>(config.block_size) * static_cast<float>(config.padded_size());
  if (config.layer_norm) {
    add(kNormGain, {config.hidden_size}, 1.0f, 0.1f);
    add(kNormShift, {config.hidden_size}, 0.0f, 0.1f);
  }
  add(kHashWeight, projection_shape(config), 0.0f, 1.0f / std::sqrt(inputs));
  add(kHashBias, {config.num_hashes()}, 0.0f, 0.1f);
  add(kTables, {config.num_tables, config.table_size, config.output_size}, 0.0f,
      1.0f / std::sqrt(static_cast<float>(config.num_tables)));
  add(kBias, {config.output_size}, 0.0f, 0.1f);
  return tensors;
}

}  // namespace lffn
