// SPDX-License-Identifier: Apache-2.0
// The rows that are added up: every width, every number of tables and tokens, and sums at the border of 32 bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random_layer.h"

namespace lffn {
namespace {

struct Case {
  int32_t output_size, num_tables, table_size, num_probes;
};

LayerConfig config_of(const Case& one) {
  LayerConfig config = small_config();
  config.hidden_size = 8;
  config.block_size = 8;
  config.output_size = one.output_size;
  config.num_tables = one.num_tables;
  config.table_size = one.table_size;
  config.num_probes = one.num_probes;
  return config;
}

class Gather : public testing::TestWithParam<int32_t> {
 protected:
  LoadOptions options(int32_t threads = 1) const {
    LoadOptions options;
    options.num_threads = threads;
    options.table_dtype = GetParam();
    return options;
  }
};

// What the layer's own codes and scores make of the tables.
TEST_P(Gather, SumsOfRows) {
  for (const Case& one :
       {Case{1, 1, 2, 1}, Case{63, 3, 4, 2}, Case{64, 4, 16, 1}, Case{100, 5, 8, 1}, Case{129, 15, 4, 3},
        Case{255, 16, 16, 1}, Case{257, 17, 16, 1}, Case{384, 33, 16, 1}, Case{512, 40, 8, 1}, Case{640, 21, 4, 4},
        Case{1100, 6, 4, 1}, Case{2100, 9, 4, 1}, Case{4161, 2, 2, 2}}) {
    const RandomLayer random(config_of(one));
    SCOPED_TRACE(layer_config_to_json(random.config));
    const int64_t tokens = 7, entries = int64_t{one.num_tables} * one.num_probes;
    const std::vector<float> x = random.inputs(tokens);
    for (const Kernels* kernels : all_kernels()) {
      SCOPED_TRACE(kernels->name);
      const auto layer = random.make(*kernels, options());
      std::vector<int32_t> codes(static_cast<size_t>(tokens * entries));
      std::vector<float> scores(codes.size());
      layer->hash(x.data(), tokens, codes.data(), scores.data());
      const std::vector<float> y = run(*layer, x, tokens);
      for (const int64_t batch : {1, 2, 5}) ASSERT_TRUE(same_bits(run(*layer, x, batch), y));
      for (int64_t t = 0; t < tokens; ++t) {
        std::vector<double> sum(random.weights.bias.begin(), random.weights.bias.end()), size(sum.size());
        for (int64_t e = 0; e < entries; ++e) {
          const double score = static_cast<double>(scores[static_cast<size_t>(t * entries + e)]);
          const int64_t row = e / one.num_probes * one.table_size + codes[static_cast<size_t>(t * entries + e)];
          for (size_t c = 0; c < sum.size(); ++c) {
            const size_t at = static_cast<size_t>(row) * sum.size() + c;
            sum[c] += score * static_cast<double>(random.weights.tables[at]);
            size[c] += std::fabs(score * static_cast<double>(random.weights.tables[at]));
          }
        }
        const double largest = *std::max_element(size.begin(), size.end());
        const double allowed = GetParam() == LFFN_DTYPE_F32 ? 1e-6 : GetParam() == LFFN_DTYPE_BF16 ? 0.005 : 0.02;
        for (size_t c = 0; c < sum.size(); ++c) {
          ASSERT_NEAR(y[static_cast<size_t>(t) * sum.size() + c], sum[c], allowed * largest + 1e-6) << t << " " << c;
        }
      }
    }
  }
}

// Tables of few rows may be picked in registers instead: whatever the shape, the hash, the number of tokens and what
// they hold, the bits are those of rows, which very few tokens always have.
TEST(GatherInt8, SmallTablesGiveTheSameBits) {
  const std::vector<const Kernels*> all = all_kernels(true);
  for (const Case& one : {Case{1, 1, 2, 1}, Case{15, 3, 16, 1}, Case{16, 4, 16, 1}, Case{17, 5, 8, 1},
                          Case{63, 7, 4, 1}, Case{65, 16, 16, 1}, Case{100, 17, 2, 1}, Case{384, 33, 16, 1},
                          Case{530, 128, 16, 1}, Case{2100, 6, 8, 1}, Case{90, 9, 32, 1}, Case{90, 9, 16, 2}}) {
    for (const int32_t projection : {int32_t{LFFN_PROJECTION_DENSE}, 2}) {
      for (const int32_t hash : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
        LayerConfig config = config_of(one);
        config.hidden_size = 40;
        config.projection = projection;
        config.activation = one.num_tables % 2 == 0 ? LFFN_ACTIVATION_SIGMOID : LFFN_ACTIVATION_GELU;
        const RandomLayer random(config);
        SCOPED_TRACE(layer_config_to_json(config));
        LoadOptions options = RandomLayer::one_thread();
        options.table_dtype = LFFN_DTYPE_INT8;
        options.hash_dtype = hash;
        std::vector<float> x = random.inputs(211);
        for (const size_t token : {size_t{7}, size_t{100}})
          x[token * 40 + token % 40] = std::numeric_limits<float>::infinity();
        x[50 * 40 + 3] = std::numeric_limits<float>::quiet_NaN();
        std::fill_n(x.begin() + 60 * 40, 40, 0.0f);
        const std::vector<float> rows = run(*random.make(*all[0], options), x, 1);
        for (const Kernels* kernels : all) {
          SCOPED_TRACE(kernels->name);
          const auto layer = random.make(*kernels, options);
          for (const int64_t batch : {1, 11, 12, 13, 16, 17, 31, 33, 48, 49, 64, 65, 80, 95, 96, 97, 211}) {
            ASSERT_TRUE(same_bits(run(*layer, x, batch), rows)) << batch;
          }
        }
      }
    }
  }
}

// The two ways to hold them are told apart by what they take.
TEST(GatherInt8, SmallTablesAreHeldTwiceWhereTheyArePicked) {
  for (const int32_t size : {8, 16, 32}) {
    const RandomLayer random(config_of({100, 21, size, 1}));
    LoadOptions options = RandomLayer::one_thread();
    options.table_dtype = LFFN_DTYPE_INT8;
    for (const Kernels* kernels : all_kernels()) {
      Kernels rows_only = *kernels;
      rows_only.gather_picked = nullptr;
      const size_t with = random.make(*kernels, options)->info().memory_bytes;
      const size_t without = random.make(rows_only, options)->info().memory_bytes;
      const bool picks = kernels->gather_picked != nullptr && size <= kPickRows;
      const size_t registers = picks ? size_t{112} * 24 * 16 + kPickRows * sizeof(float) : 0;
      EXPECT_EQ(with - without, registers) << kernels->name << " " << size;
    }
  }
}

// Nothing is written beside y's columns, whatever the stride.
TEST_P(Gather, WritesOnlyItsColumns) {
  for (const int32_t size : {1, 17, 64, 70, 300}) {
    for (const int64_t tokens : {6, 37}) {
      const RandomLayer random(config_of({size, 5, 4, 1}));
      const std::vector<float> x = random.inputs(tokens);
      for (const Kernels* kernels : all_kernels()) {
        const auto layer = random.make(*kernels, options());
        const std::vector<float> whole = run(*layer, x, tokens);
        const size_t stride = static_cast<size_t>(size) + 3;
        std::vector<float> y(static_cast<size_t>(tokens) * stride, -5.0f);
        ForwardCall call;
        call.x = x.data();
        call.x_stride = 8;
        call.y = y.data();
        call.y_stride = static_cast<int64_t>(stride);
        call.num_tokens = tokens;
        layer->forward(call);
        for (size_t i = 0; i < y.size(); ++i) {
          const size_t column = i % stride, at = i / stride * static_cast<size_t>(size) + column;
          ASSERT_EQ(y[i], column < static_cast<size_t>(size) ? whole[at] : -5.0f) << kernels->name << " " << i;
        }
      }
    }
  }
}

// So many tokens that float32 rows are read a few columns and tables at a time.
TEST_P(Gather, ManyTokensChangeNoBit) {
  for (const int32_t size : {150, 530}) {
    for (const int32_t probes : {1, 2}) {
      LayerConfig config = config_of({size, 127, 64, probes});
      config.table_size = size == 150 ? 128 : 64;
      const RandomLayer random(config);
      const std::vector<float> x = random.inputs(333);
      for (const Kernels* kernels : all_kernels()) {
        const auto layer = random.make(*kernels, options());
        const std::vector<float> whole = run(*layer, x, 333);
        EXPECT_TRUE(same_bits(run(*layer, x, 50), whole)) << kernels->name;
        EXPECT_TRUE(same_bits(run(*random.make(*kernels, options(3)), x, 333), whole)) << kernels->name;
        EXPECT_GE(layer->info().scratch_bytes, layer->scratch_bytes(333));
      }
    }
  }
}

// A call with fewer tokens never needs more scratch memory: a model makes room for its largest.
TEST_P(Gather, ScratchGrowsWithTokens) {
  const RandomLayer random(config_of({530, 127, 64, 1}));
  for (const int32_t threads : {1, 8}) {
    const auto layer = random.make(kernels(), options(threads));
    size_t largest = 0;
    for (int64_t tokens = 1; tokens < 400; ++tokens) {
      EXPECT_GE(layer->scratch_bytes(tokens), largest) << tokens;
      largest = layer->scratch_bytes(tokens);
    }
  }
}

std::string name_of(const testing::TestParamInfo<int32_t>& info) {
  return info.param == LFFN_DTYPE_F32 ? "f32" : info.param == LFFN_DTYPE_BF16 ? "bf16" : "int8";
}

INSTANTIATE_TEST_SUITE_P(Types, Gather, testing::Values(LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8), name_of);

// Sums of int8 products: every table as large as it can be, more of them than 32 bits can count.
TEST(GatherInt8, SumsBeyond32Bits) {
  for (const int32_t num_tables : {131071, 131072, 131073, 132105, 262145}) {
    LayerConfig config = config_of({65, num_tables, 2, 1});
    config.hidden_size = 1;
    config.block_size = 1;
    config.projection = LFFN_PROJECTION_DENSE;
    config.activation = LFFN_ACTIVATION_SIGMOID;
    config.layer_norm = false;
    RandomLayer random(config);
    const size_t rows = static_cast<size_t>(num_tables) * 2;
    const std::vector<int8_t> values(rows * 65, -128);
    const std::vector<float> scales(rows, 0.5f);
    for (TensorView& view : random.views) {
      if (view.name == kTables) {
        view.dtype = DType::kI8;
        view.data = reinterpret_cast<const uint8_t*>(values.data());
        view.size = values.size();
      } else {  // all hash values and biases become zero, so that all scores are 1/2
        std::memset(const_cast<uint8_t*>(view.data), 0, view.size);
      }
    }
    TensorView scale;
    scale.name = kTablesScale;
    scale.dtype = DType::kF32;
    scale.shape = {num_tables, 2};
    scale.data = reinterpret_cast<const uint8_t*>(scales.data());
    scale.size = rows * sizeof(float);
    random.views.push_back(scale);
    const double expected = -128 * 0.5 * 0.5 * num_tables;
    std::vector<float> first;
    for (const Kernels* kernels : all_kernels(true)) {
      const auto layer = random.make(*kernels);
      ASSERT_EQ(layer->info().table_dtype, LFFN_DTYPE_INT8);
      const std::vector<float> y = run(*layer, {0.0f, 0.0f}, 2);
      for (const float value : y) ASSERT_NEAR(value, expected, 1e-6 * std::fabs(expected)) << kernels->name;
      if (first.empty()) first = y;
      EXPECT_TRUE(same_bits(y, first)) << kernels->name;
    }
  }
}

// A score that overflows, times a row of zeros, is NaN as with other element types.
TEST(GatherInt8, InfinityTimesZeroIsSeen) {
  LayerConfig config = config_of({40, 3, 2, 1});
  config.hidden_size = 1;
  config.block_size = 1;
  config.projection = LFFN_PROJECTION_DENSE;
  config.layer_norm = false;
  const RandomLayer random(config);
  for (const TensorView& view : random.views) {
    auto* values = reinterpret_cast<float*>(const_cast<uint8_t*>(view.data));
    std::fill_n(values, view.size / sizeof(float), view.name == kHashWeight ? 2.0f : 0.0f);
  }
  for (const Kernels* kernels : all_kernels()) {
    for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
      LoadOptions options = RandomLayer::one_thread();
      options.table_dtype = dtype;
      const std::vector<float> y = run(*random.make(*kernels, options), {3e38f, 1.0f}, 2);
      for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i < 40) << kernels->name << " " << dtype;
    }
  }
}

}  // namespace
}  // namespace lffn
