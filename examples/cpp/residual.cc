// SPDX-License-Identifier: Apache-2.0
// Makes a layer with random weights, saves it, loads it again with bf16 tables, and runs it on the middle columns of a
// wider array, adding to what is there: what a transformer does with its feed-forward layer.
//
//     c++ -std=c++17 residual.cc $(pkg-config --cflags --libs lookupffn) -o residual
//     ./residual layer.safetensors
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <lookupffn/lookupffn.hpp>
#include <vector>

namespace {

constexpr int64_t kTokens = 32;
constexpr int64_t kRow = 300;   // floats in a row of the array
constexpr int64_t kFirst = 20;  // where the layer's columns begin

lookupffn::Layer make_layer() {
  lookupffn::LayerConfig config;
  config.hidden_size = 256;
  config.num_tables = 64;
  config.table_size = 128;
  config.seed = 42;
  return lookupffn::Layer::create(config);
}

std::vector<float> make_array() {
  std::vector<float> array(static_cast<std::size_t>(kTokens * kRow));
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = std::sin(static_cast<float>(i));
  return array;
}

// Adds the layer's output to its own input, in place.
void add_layer(const lookupffn::Layer& layer, std::vector<float>& array) {
  const lookupffn::Span<float> columns(array.data() + kFirst, array.size() - kFirst);
  layer.forward({columns, kTokens, kRow}, {columns, kTokens, kRow}, LFFN_LAYER_RUN_ADD);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FILE.safetensors\n";
    return 2;
  }
  try {
    const lookupffn::Layer made = make_layer();
    made.save(argv[1]);
    const lookupffn::Layer loaded = lookupffn::Layer::load(argv[1]);

    std::vector<float> first = make_array();
    std::vector<float> second = make_array();
    add_layer(made, first);
    add_layer(loaded, second);
    std::cout << "saved and loaded again, same bits: " << (first == second ? "yes" : "no") << "\n";

    lookupffn::LoadOptions options;
    options.table_dtype = LFFN_DTYPE_BF16;
    const lookupffn::LayerInfo half = lookupffn::Layer::load(argv[1], options).info();
    std::cout << "bytes of weights: " << made.info().memory_bytes << " as float32, " << half.memory_bytes
              << " with bf16 tables\n";
    return 0;
  } catch (const lookupffn::Error& error) {
    std::cerr << lffn_status_name(error.status()) << ": " << error.what() << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  return 1;
}
