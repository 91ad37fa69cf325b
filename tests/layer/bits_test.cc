// SPDX-License-Identifier: Apache-2.0
// A token's bits depend on nothing but the token: not on the batch, the threads, the instruction set, or what a
// neighbour holds. For every pair of element types.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "format/file.h"
#include "random_layer.h"

namespace lffn {
namespace {

struct Types {
  int32_t table, hash;
};

class Bits : public testing::TestWithParam<Types> {
 protected:
  LoadOptions options(int32_t threads = 1) const {
    LoadOptions options;
    options.num_threads = threads;
    options.table_dtype = GetParam().table;
    options.hash_dtype = GetParam().hash;
    return options;
  }
  static LayerConfig config() {
    LayerConfig config = small_config();
    config.hidden_size = 100;
    config.output_size = 150;  // not whole pieces of a row
    config.num_tables = 21;    // not a multiple of what is gathered at once
    config.table_size = 64;
    return config;
  }
};

TEST_P(Bits, AnyBatchAndAnyThreads) {
  const RandomLayer random(config());
  const std::vector<float> x = random.inputs(331);
  const auto layer = random.make(kernels(), options());
  const std::vector<float> whole = run(*layer, x, 331);
  for (const int64_t batch : {1, 3, 4, 5, 8, 9, 24, 49, 127, 200, 330})
    EXPECT_TRUE(same_bits(run(*layer, x, batch), whole));
  for (const int32_t threads : {2, 3, 7}) {
    EXPECT_TRUE(same_bits(run(*random.make(kernels(), options(threads)), x, 331), whole)) << threads;
  }
}

TEST_P(Bits, AnyInstructionSetWithFma) {
  LayerConfig some = config();
  for (const int32_t projection : {0, 4}) {
    for (const int32_t block : {1, 4, 32}) {
      for (const int32_t probes : {1, 3}) {
        some.projection = projection;
        some.block_size = block;
        some.num_probes = probes;
        const RandomLayer random(some);
        const std::vector<float> x = random.inputs(70);
        const std::vector<const Kernels*> all = all_kernels(true);
        for (const Kernels* one : all) {
          EXPECT_TRUE(
              same_bits(run(*random.make(*one, options()), x, 70), run(*random.make(*all[0], options()), x, 70)))
              << one->name;
        }
      }
    }
  }
}

TEST_P(Bits, AddIsForwardAdded) {
  const RandomLayer random(config());
  const std::vector<float> x = random.inputs(33);
  const auto layer = random.make(kernels(), options());
  const std::vector<float> y = run(*layer, x, 33);
  for (const int64_t tokens : {1, 33}) {
    std::vector<float> sum(y.size());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<float>(i % 17) - 8;
    std::vector<float> expected = sum;
    for (size_t i = 0; i < static_cast<size_t>(tokens * 150); ++i) expected[i] = expected[i] + y[i];
    ForwardCall call;
    call.x = x.data();
    call.x_stride = 100;
    call.y = sum.data();
    call.y_stride = 150;
    call.num_tokens = tokens;
    call.add = true;
    layer->forward(call);
    EXPECT_TRUE(same_bits(sum, expected));
  }
}

TEST_P(Bits, SpecialNumbersStayWithTheirToken) {
  const RandomLayer random(config());
  const auto layer = random.make(kernels(), options());
  std::vector<float> x = random.inputs(60);
  const std::vector<float> clean = run(*layer, x, 60);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, 1e38f, 1e-42f}) {
    for (const int64_t batch : {1, 60}) {
      std::vector<float> spoilt = x;
      for (const size_t token : {size_t{0}, size_t{17}, size_t{59}}) spoilt[token * 100 + token] = special;
      const std::vector<float> y = run(*layer, spoilt, batch);
      for (size_t t = 0; t < 60; ++t) {
        if (t == 0 || t == 17 || t == 59) continue;
        EXPECT_EQ(std::memcmp(&y[t * 150], &clean[t * 150], 150 * sizeof(float)), 0) << "token " << t;
      }
      if (std::isnan(special)) {
        EXPECT_TRUE(std::isnan(y[17 * 150]));
      }
    }
  }
}

TEST_P(Bits, SavedAndLoaded) {
  const RandomLayer random(config());
  const auto layer = random.make(kernels(), options());
  const std::string path = testing::TempDir() + "/lffn_bits_" + std::to_string(getpid());
  layer->save(path);
  const FileBytes file(path);
  const auto again = load_layer(file, LoadOptions(), kernels());
  const std::vector<float> x = random.inputs(50);
  EXPECT_TRUE(same_bits(run(*again, x, 50), run(*layer, x, 50)));
  EXPECT_EQ(again->info().table_dtype, GetParam().table);
  EXPECT_EQ(again->info().hash_dtype, GetParam().hash);
  EXPECT_EQ(again->info().file_bytes, layer->info().file_bytes);
  size_t stored = 0;
  for (const TensorView& tensor : parse_safetensors(file.data(), file.size()).tensors) stored += tensor.size;
  EXPECT_EQ(layer->info().file_bytes, stored);
  std::remove(path.c_str());
}

TEST_P(Bits, ManyThreadsOnOneLayer) {
  const RandomLayer random(config());
  const auto layer = random.make(kernels(), options());
  const std::vector<float> x = random.inputs(40);
  const std::vector<float> expected = run(*layer, x, 40);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&, i] {
      for (int turn = 0; turn < 10; ++turn) wrong += same_bits(run(*layer, x, 1 + i * 13), expected) ? 0 : 1;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// How far the rounded forms are from float32, as a share of the outputs' size.
TEST_P(Bits, CloseToFloat32) {
  LayerConfig some = config();
  some.projection = 4;
  const RandomLayer random(some);
  const std::vector<float> x = random.inputs(200);
  const std::vector<float> exact = run(*random.make(kernels()), x, 200);
  const std::vector<float> y = run(*random.make(kernels(), options()), x, 200);
  double error = 0, size = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    error += std::pow(static_cast<double>(y[i]) - static_cast<double>(exact[i]), 2);
    size += std::pow(static_cast<double>(exact[i]), 2);
  }
  const double limit = GetParam().hash == LFFN_DTYPE_INT8 ? 0.2 : GetParam().table == LFFN_DTYPE_INT8 ? 0.02 : 0.004;
  EXPECT_LT(std::sqrt(error / size), limit);
  if (GetParam().table == LFFN_DTYPE_F32 && GetParam().hash == LFFN_DTYPE_F32) {
    EXPECT_EQ(error, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types, Bits,
    testing::Values(Types{LFFN_DTYPE_F32, LFFN_DTYPE_F32}, Types{LFFN_DTYPE_BF16, LFFN_DTYPE_F32},
                    Types{LFFN_DTYPE_INT8, LFFN_DTYPE_F32}, Types{LFFN_DTYPE_F32, LFFN_DTYPE_INT8},
                    Types{LFFN_DTYPE_BF16, LFFN_DTYPE_INT8}, Types{LFFN_DTYPE_INT8, LFFN_DTYPE_INT8}),
    [](const auto& info) {
      const auto name = [](int32_t dtype) {
        return std::string(dtype == LFFN_DTYPE_F32 ? "F32" : dtype == LFFN_DTYPE_BF16 ? "Bf16" : "Int8");
      };
      return name(info.param.table) + "Hash" + name(info.param.hash);
    });

}  // namespace
}  // namespace lffn
