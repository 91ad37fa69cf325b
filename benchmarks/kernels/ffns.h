// SPDX-License-Identifier: Apache-2.0
// The FFNs that these programs compare: a vanilla one, by the kernels that models use, and a LookupFFN.
#pragma once

#include <lookupffn/lookupffn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "layer/layer.h"

constexpr int kSize = 512, kInner = 2048, kTables = 128, kRows = 256;

inline std::vector<float> normal(size_t count, float deviation) {
  std::mt19937 random(7);
  std::normal_distribution<float> draw(0, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = draw(random);
  return values;
}

// The two products of a vanilla FFN, by the kernels that models use.
class Vanilla {
 public:
  Vanilla() : up_(kSize, kInner), down_(kInner, kSize) {}
  void forward(const float* x, int64_t tokens, float* y) {
    inner_.resize(static_cast<size_t>(tokens * kInner));
    up_.run(x, tokens, lffn::Activation::kGelu, inner_.data());
    down_.run(inner_.data(), tokens, lffn::Activation::kNone, y);
  }

 private:
  struct Product {
    Product(int64_t in, int64_t out) : inputs(in), outputs(out) {
      const std::vector<float> matrix = normal(static_cast<size_t>(in * out), 0.04f);
      panels.resize(matrix.size());
      bias.resize(static_cast<size_t>(out));
      lffn::usable_kernels().lay_panels(matrix.data(), inputs, outputs, inputs, panels.data());
    }
    void run(const float* in, int64_t rows, lffn::Activation activation, float* out) const {
      lffn::LinearPlan plan = {in,      inputs,     rows,  inputs, panels.data(), bias.data(),
                               outputs, activation, false, out,    outputs};
      lffn::usable_kernels().linear(plan);
    }
    int64_t inputs, outputs;
    std::vector<float> panels, bias;
  };
  Product up_, down_;
  std::vector<float> inner_;
};

inline lffn_layer* lookup(bool int8) {
  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = config.output_size = kSize;
  config.num_tables = kTables;
  config.table_size = kRows;
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  if (int8) options.table_dtype = options.hash_dtype = LFFN_DTYPE_INT8;
  lffn_layer* layer = nullptr;
  if (lffn_layer_create(&config, nullptr, 0, &options, &layer) != LFFN_OK) {
    std::fprintf(stderr, "%s\n", lffn_last_error());
    std::exit(1);
  }
  return layer;
}
