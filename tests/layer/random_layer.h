// SPDX-License-Identifier: Apache-2.0
// Random layers and inputs for the tests in this folder.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "layer/layer.h"
#include "reference.h"

namespace lffn {

inline LayerConfig small_config() {
  LayerConfig config;
  config.hidden_size = 48;
  config.output_size = 40;
  config.num_tables = 7;
  config.table_size = 32;
  config.block_size = 16;
  return config;
}

struct RandomLayer {
  explicit RandomLayer(const LayerConfig& c) : config(c) {
    check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT);
    views = random_weights(config, 7, memory);
    weights = {floats(kNormGain), floats(kNormShift), floats(kHashWeight),
               floats(kHashBias), floats(kTables),    floats(kBias)};
  }
  std::unique_ptr<const Layer> make(const Kernels& kernels, LoadOptions options = one_thread()) const {
    return std::make_unique<const Layer>(config, check_tensors(config, views, LFFN_ERROR_INVALID_ARGUMENT), options,
                                         kernels);
  }
  std::vector<float> inputs(int64_t tokens, uint32_t seed = 1) const {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> x(static_cast<size_t>(tokens * config.hidden_size));
    for (float& value : x) value = normal(random);
    return x;
  }
  static LoadOptions one_thread() {
    LoadOptions options;
    options.num_threads = 1;
    return options;
  }

  LayerConfig config;
  std::vector<Memory> memory;
  std::vector<TensorView> views;
  reference::Weights weights;

 private:
  std::vector<float> floats(const char* name) const {
    for (const TensorView& view : views) {
      if (view.name != name) continue;
      std::vector<float> values(view.size / sizeof(float));
      std::memcpy(values.data(), view.data, view.size);
      return values;
    }
    return {};
  }
};

inline std::vector<float> run(const Layer& layer, const std::vector<float>& x, int64_t batch) {
  const int64_t d = layer.config().hidden_size, out = layer.config().output_size;
  const int64_t tokens = static_cast<int64_t>(x.size()) / d;
  std::vector<float> y(static_cast<size_t>(tokens * out), -77.0f);
  for (int64_t first = 0; first < tokens; first += batch) {
    ForwardCall call;
    call.x = x.data() + first * d;
    call.x_stride = d;
    call.y = y.data() + first * out;
    call.y_stride = out;
    call.num_tokens = std::min(batch, tokens - first);
    layer.forward(call);
  }
  return y;
}

// The kernels that this CPU runs.
inline std::vector<const Kernels*> all_kernels(bool only_fma = false) {
  std::vector<const Kernels*> found;
  for (const char* name : {"generic", "baseline", "avx2", "avxvnni", "avx512", "avx512vnni", "avx512vbmi", "neon",
                           "neondot", "neoni8mm"}) {
    const bool fma = std::string(name) != "generic" && std::string(name) != "baseline";
    const Kernels* kernels = find_kernels(name);
    if (kernels != nullptr && (fma || !only_fma)) found.push_back(kernels);
  }
  return found;
}

// Equal to the bit, NaN included.
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace lffn
