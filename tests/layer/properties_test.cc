// SPDX-License-Identifier: Apache-2.0
// Every kind of layer against the double-precision reference, on every instruction set that this CPU has.
#include <gtest/gtest.h>

#include <cmath>

#include "random_layer.h"

namespace lffn {
namespace {

void check(const LayerConfig& config) {
  SCOPED_TRACE(layer_config_to_json(config));
  const RandomLayer random(config);
  const int64_t tokens = 29, d = config.hidden_size, entries = int64_t{config.num_tables} * config.num_probes;
  const std::vector<float> x = random.inputs(tokens);
  for (const Kernels* kernels : all_kernels()) {
    SCOPED_TRACE(kernels->name);
    const auto layer = random.make(*kernels);
    std::vector<int32_t> codes(static_cast<size_t>(tokens * entries), -1);
    std::vector<float> scores(codes.size());
    layer->hash(x.data(), tokens, codes.data(), scores.data());
    const std::vector<float> y = run(*layer, x, tokens);
    ASSERT_TRUE(same_bits(run(*layer, x, 1), y));
    ASSERT_TRUE(same_bits(run(*layer, x, 5), y));

    for (int64_t t = 0; t < tokens; ++t) {
      const std::vector<double> z = reference::hash(config, random.weights, x.data() + t * d);
      std::vector<double> expected(random.weights.bias.begin(), random.weights.bias.end());
      double size = 0.1;
      for (int32_t k = 0; k < config.num_tables; ++k) {
        const double* zk = z.data() + k * config.code_bits();
        for (int32_t p = 0; p < config.num_probes; ++p) {
          const size_t entry = static_cast<size_t>(t * entries + k * config.num_probes + p);
          const uint32_t code = static_cast<uint32_t>(codes[entry]);
          ASSERT_LT(code, static_cast<uint32_t>(config.table_size));
          // The first code differs from the reference's at most where a value is too close to zero to tell.
          const uint32_t wrong = p == 0 ? code ^ reference::code(zk, config.code_bits()) : 0;
          for (int j = 0; j < config.code_bits(); ++j) {
            if ((wrong >> (config.code_bits() - 1 - j) & 1) != 0) {
              ASSERT_LT(std::fabs(zk[j]), 1e-4);
            }
          }
          const double score = reference::score(config, zk, code);
          ASSERT_NEAR(scores[entry], score, 1e-4 * std::fabs(score) + 1e-5) << "token " << t << " table " << k;
          for (int32_t c = 0; c < config.output_size; ++c) {
            expected[static_cast<size_t>(c)] +=
                score * static_cast<double>(random.weights.tables[static_cast<size_t>(
                            (int64_t{k} * config.table_size + code) * config.output_size + c)]);
          }
          size = std::max(size, std::fabs(score));
        }
      }
      for (int32_t c = 0; c < config.output_size; ++c) {
        ASSERT_NEAR(y[static_cast<size_t>(t * config.output_size + c)], expected[static_cast<size_t>(c)], 1e-3 * size);
      }
    }
  }
}

TEST(Properties, EveryProjection) {
  for (int32_t projection = 0; projection <= 9; ++projection) {
    LayerConfig config = small_config();
    config.projection = projection;
    check(config);
  }
}

TEST(Properties, EveryBlockSize) {
  for (int32_t block = 1; block <= 64; block *= 2) {
    LayerConfig config = small_config();
    config.block_size = block;
    check(config);
  }
}

TEST(Properties, EveryCodeLength) {
  for (int32_t bits = 1; bits <= 16; ++bits) {
    LayerConfig config = small_config();
    config.num_tables = 3;
    config.output_size = 5;
    config.table_size = 1 << bits;
    check(config);
    config.activation = LFFN_ACTIVATION_SIGMOID;
    check(config);
  }
}

// Up to tables of which the nearest caches hold one or none.
TEST(Properties, LargeTables) {
  for (const int bits : {8, 9, 10, 11, 12}) {
    LayerConfig config = small_config();
    config.num_tables = 5;
    config.output_size = 70;
    config.table_size = 1 << bits;
    check(config);
  }
}

TEST(Properties, EveryNumberOfProbes) {
  for (int32_t probes = 1; probes <= 32; ++probes) {
    LayerConfig config = small_config();
    config.num_probes = probes;
    config.activation = probes % 2;
    check(config);
  }
}

TEST(Properties, ProbesAreTheLikeliest) {
  LayerConfig config = small_config();
  config.num_probes = 9;
  config.activation = LFFN_ACTIVATION_SIGMOID;
  const RandomLayer random(config);
  const std::vector<float> x = random.inputs(3);
  const auto layer = random.make(*all_kernels().back());
  std::vector<int32_t> codes(3 * 7 * 9);
  layer->hash(x.data(), 3, codes.data(), nullptr);
  for (size_t t = 0; t < 3; ++t) {
    const std::vector<double> z = reference::hash(config, random.weights, x.data() + t * 48);
    for (size_t k = 0; k < 7; ++k) {
      std::vector<double> all;
      for (uint32_t code = 0; code < 32; ++code) all.push_back(reference::score(config, z.data() + k * 5, code));
      std::sort(all.rbegin(), all.rend());
      for (size_t p = 0; p < 9; ++p) {
        const double score =
            reference::score(config, z.data() + k * 5, static_cast<uint32_t>(codes[(t * 7 + k) * 9 + p]));
        EXPECT_NEAR(score, all[p], 1e-5 * all[p]);
      }
    }
  }
}

TEST(Properties, EqualProbesInOrderOfCode) {
  LayerConfig config = small_config();
  config.num_probes = 11;
  RandomLayer random(config);
  for (TensorView& view : random.views) {  // all hash values become zero
    if (view.name != kTables) std::memset(const_cast<uint8_t*>(view.data), 0, view.size);
  }
  const auto layer = random.make(*all_kernels().back());
  const std::vector<float> x = random.inputs(2);
  std::vector<int32_t> codes(2 * 7 * 11);
  layer->hash(x.data(), 2, codes.data(), nullptr);
  for (size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(codes[i], static_cast<int32_t>(i % 11));
}

TEST(Properties, OddSizes) {
  for (const int32_t d : {1, 2, 3, 7, 13, 31, 33, 65, 100, 129}) {
    for (const int32_t out : {1, 3, 15, 17, 63, 65, 130}) {
      LayerConfig config = small_config();
      config.hidden_size = d;
      config.output_size = out;
      config.block_size = 1;
      while (config.block_size * 2 <= std::min<int64_t>(16, config.padded_size())) config.block_size *= 2;
      config.num_tables = 1 + (d + out) % 9;
      config.layer_norm = d % 2 == 0;
      config.projection = out % 5;
      check(config);
    }
  }
}

}  // namespace
}  // namespace lffn
