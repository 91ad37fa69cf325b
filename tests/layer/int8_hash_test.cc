// SPDX-License-Identifier: Apache-2.0
// The int8 hash: sums at the ends of their range, inputs that stand out, and how near it is to the float32 hash.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random_layer.h"

namespace lffn {
namespace {

// A layer of one table of two rows whose int8 hash weights are all the same number.
struct OneBit {
  OneBit(int32_t hidden_size, int32_t projection, int32_t block_size, int8_t weight) {
    config.hidden_size = hidden_size;
    config.output_size = 1;
    config.num_tables = 1;
    config.table_size = 2;
    config.projection = projection;
    config.block_size = block_size;
    config.decay_coeff = 1;
    config.layer_norm = false;
    check_layer_config(config, LFFN_ERROR_INVALID_ARGUMENT);
    views = random_weights(config, 1, memory);
    int64_t count = 1;
    std::vector<int64_t> shape = projection_shape(config);
    for (const int64_t size : shape) count *= size;
    weights.assign(static_cast<size_t>(count), weight);
    scales.assign(static_cast<size_t>(count / shape.back()), 1.0f);
    for (TensorView& view : views) {
      if (view.name == kHashBias) std::memset(const_cast<uint8_t*>(view.data), 0, view.size);
    }
    views.erase(std::remove_if(views.begin(), views.end(), [](const TensorView& v) { return v.name == kHashWeight; }),
                views.end());
    TensorView folded;
    folded.name = kFoldedWeight;
    folded.dtype = DType::kI8;
    folded.shape = shape;
    folded.data = reinterpret_cast<const uint8_t*>(weights.data());
    folded.size = weights.size();
    views.push_back(folded);
    shape.pop_back();
    folded.name = kFoldedScale;
    folded.dtype = DType::kF32;
    folded.shape = shape;
    folded.data = reinterpret_cast<const uint8_t*>(scales.data());
    folded.size = scales.size() * sizeof(float);
    views.push_back(folded);
  }
  // The only hash value of each token, from its code and score.
  std::vector<double> hash(const Kernels& kernels, const std::vector<float>& x) const {
    const Layer layer(config, check_tensors(config, views, LFFN_ERROR_INVALID_ARGUMENT), LoadOptions(), kernels);
    const int64_t tokens = static_cast<int64_t>(x.size()) / config.hidden_size;
    std::vector<int32_t> codes(static_cast<size_t>(tokens));
    std::vector<float> scores(codes.size());
    layer.hash(x.data(), tokens, codes.data(), scores.data());
    std::vector<double> z;
    for (size_t t = 0; t < codes.size(); ++t) z.push_back(codes[t] != 0 ? scores[t] : -static_cast<double>(scores[t]));
    return z;
  }

  LayerConfig config;
  std::vector<Memory> memory;
  std::vector<TensorView> views;
  std::vector<int8_t> weights;
  std::vector<float> scales;
};

// Sums of products are the largest where all inputs are the same and all weights -128.
void check_largest_sums(const OneBit& layer, int64_t tokens) {
  SCOPED_TRACE(layer_config_to_json(layer.config));
  const int64_t d = layer.config.hidden_size;
  std::vector<float> x(static_cast<size_t>(tokens * d));
  for (int64_t i = 0; i < tokens * d; ++i) x[static_cast<size_t>(i)] = i / d % 2 == 0 ? 1.0f : -1.0f;
  for (const Kernels* kernels : all_kernels()) {
    const std::vector<double> z = layer.hash(*kernels, x);
    for (int64_t t = 0; t < tokens; ++t) {
      const double expected = (t % 2 == 0 ? -128.0 : 128.0) * static_cast<double>(d);
      EXPECT_NEAR(z[static_cast<size_t>(t)], expected, std::fabs(expected) * 1e-5) << kernels->name << ", token " << t;
    }
  }
}

TEST(Int8Hash, LargestSumsOfDenseHashes) {
  for (const int32_t size : {1, 3, 64, 4095, 4096, 4097, 132103, 132105}) {
    check_largest_sums(OneBit(size, 0, 0, -128), size > 5000 ? 2 : 35);
  }
  check_largest_sums(OneBit(1 << 20, 0, 0, -128), 1);
  check_largest_sums(OneBit(1 << 20, 0, 0, -128), 7);
}

TEST(Int8Hash, LargestSumsOfBlocks) {
  for (const int32_t block : {1, 2, 8, 64, 2048}) check_largest_sums(OneBit(block, 1, block, -128), 7);
}

// One input far larger than the others does not make these coarse.
TEST(Int8Hash, InputsThatStandOut) {
  const OneBit layer(64, 0, 0, 1);
  for (const Kernels* kernels : all_kernels()) {
    for (const int64_t tokens : {1, 20}) {
      for (const float large : {3.0f, 50.0f, 200.0f, -200.0f}) {
        std::vector<float> x(static_cast<size_t>(tokens * 64));
        for (size_t i = 0; i < x.size(); ++i) x[i] = i % 64 == 13 ? large : 0.75f;
        for (const double z : layer.hash(*kernels, x)) {
          const double expected = large + 63 * 0.75;
          EXPECT_NEAR(z, expected, 64 * 0.5 * 4 * (std::fabs(static_cast<double>(large)) / 64 + 0.75) / 127)
              << kernels->name << " " << large;
        }
      }
    }
  }
}

LayerConfig hashed(int32_t projection, int32_t block_size) {
  LayerConfig config = small_config();
  config.hidden_size = 384;
  config.num_tables = 64;
  config.table_size = 16;
  config.projection = projection;
  config.block_size = block_size;
  config.layer_norm = false;
  return config;
}

// Inputs as real encoders have them: the same few features are many times as large as the others.
std::vector<float> with_outliers(const RandomLayer& random, int64_t tokens) {
  std::vector<float> x = random.inputs(tokens);
  for (size_t i = 0; i < x.size(); ++i) x[i] *= i % 384 == 17 || i % 384 == 200 ? 12.0f : 1.0f;
  return x;
}

TEST(Int8Hash, SameBitsWithOutliersAndNan) {
  for (const int32_t projection : {0, 1, 4}) {
    for (const int32_t block : {1, 2, 4, 8, 16, 32, 64, 128, 512}) {
      if (projection == 0 && block > 1) continue;
      const RandomLayer random(hashed(projection, block));
      std::vector<float> x = with_outliers(random, 75);
      x[5 * 384 + 7] = std::numeric_limits<float>::quiet_NaN();
      for (size_t i = 6 * 384; i < 7 * 384; ++i) x[i] = 0;
      x[8 * 384 + 9] = 1e-35f;
      x[9 * 384 + 300] = 3e38f;
      LoadOptions options;
      options.num_threads = 1;
      options.hash_dtype = LFFN_DTYPE_INT8;
      std::vector<float> expected;
      for (const Kernels* kernels : all_kernels(true)) {
        const auto layer = random.make(*kernels, options);
        for (const int64_t batch : {1, 16, 33, 75}) {
          std::vector<float> y = run(*layer, x, batch);
          for (int i = 5 * 40; i < 6 * 40; ++i) {
            EXPECT_TRUE(std::isnan(y[static_cast<size_t>(i)]));
            y[static_cast<size_t>(i)] = 0;
          }
          for (float& value : y) value = std::isnan(value) ? 1e9f : value;
          if (expected.empty()) expected = y;
          EXPECT_TRUE(same_bits(y, expected))
              << kernels->name << ", BH" << projection << ", block " << block << ", batch " << batch;
        }
      }
    }
  }
}

// An infinity makes its token's hash values NaN, whose bits are 0, and no other token's.
TEST(Int8Hash, AnInfinityGivesTheSameCodesEverywhere) {
  for (const int32_t projection : {0, 1, 4}) {
    const RandomLayer random(hashed(projection, 64));
    LoadOptions int8;
    int8.hash_dtype = LFFN_DTYPE_INT8;
    std::vector<float> x = with_outliers(random, 20);
    std::vector<int32_t> expected(20 * 64), codes(expected.size());
    random.make(kernels(), int8)->hash(x.data(), 20, expected.data(), nullptr);
    for (const int64_t token : {3, 11}) {
      x[static_cast<size_t>(token * 384 + 100)] = token == 3 ? INFINITY : -INFINITY;
      std::fill_n(expected.begin() + token * 64, 64, 0);
    }
    for (const Kernels* kernels : all_kernels(true)) {
      const auto layer = random.make(*kernels, int8);
      layer->hash(x.data(), 20, codes.data(), nullptr);
      EXPECT_EQ(codes, expected) << kernels->name << ", BH" << projection;
      for (int64_t t = 0; t < 20; ++t) layer->hash(x.data() + t * 384, 1, codes.data() + t * 64, nullptr);
      EXPECT_EQ(codes, expected) << kernels->name << ", BH" << projection << ", one by one";
    }
  }
}

// The bytes of a tensor of a layer as it would be saved.
std::vector<uint8_t> saved(const Layer& layer, const char* name) {
  std::vector<TensorView> tensors;
  std::vector<Memory> memory;
  layer.add_stored("", tensors, memory);
  for (const TensorView& view : tensors) {
    if (view.name == name) return {view.data, view.data + view.size};
  }
  return {};
}

// It is kept as the kernels read it alone.
TEST(Int8Hash, TheWeightComesBackAsItWas) {
  struct Shape {
    int32_t hidden_size, projection, block_size;
  };
  for (const Shape& shape : {Shape{1, 0, 0}, Shape{3, 0, 0}, Shape{96, 0, 0}, Shape{4099, 0, 0}, Shape{8195, 0, 0},
                             Shape{1, 1, 1}, Shape{6, 1, 2}, Shape{96, 4, 8}, Shape{100, 4, 16}, Shape{128, 2, 64}}) {
    OneBit layer(shape.hidden_size, shape.projection, shape.block_size, 0);
    for (size_t i = 0; i < layer.weights.size(); ++i) layer.weights[i] = static_cast<int8_t>(i * 37 % 251);
    const std::vector<uint8_t> expected(layer.weights.begin(), layer.weights.end());
    for (const Kernels* kernels : all_kernels()) {
      const Layer made(layer.config, check_tensors(layer.config, layer.views, LFFN_ERROR_INVALID_ARGUMENT),
                       LoadOptions(), *kernels);
      EXPECT_EQ(saved(made, kFoldedWeight), expected) << kernels->name << " " << shape.hidden_size;
    }
  }
  for (const int32_t projection : {0, 2}) {
    const RandomLayer random(hashed(projection, 64));
    const auto& weight = random.weights.projection;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(weight.data());
    const std::vector<uint8_t> expected(bytes, bytes + weight.size() * sizeof(float));
    EXPECT_EQ(saved(*random.make(kernels()), kHashWeight), expected) << projection;
  }
}

TEST(Int8Hash, NoMoreCopiesThanTheKernelsRead) {
  for (const int32_t projection : {0, 4}) {
    LayerConfig config = hashed(projection, 64);
    config.output_size = 64;  // whole slabs
    const RandomLayer random(config);
    const size_t weights = random.weights.projection.size();
    for (const Kernels* kernels : all_kernels()) {
      LoadOptions int8;
      int8.hash_dtype = LFFN_DTYPE_INT8;
      const lffn_layer_info info = random.make(*kernels, int8)->info();
      // The file has them once; for tiles of tokens they lie there again, of two bytes each on some processors.
      const size_t again = weights * (kernels->hash_cell_inputs == 4 ? 1 : 2);
      EXPECT_LT(info.memory_bytes, info.file_bytes + again + weights / 4) << kernels->name << " " << projection;
    }
    if (projection == 0) {
      const lffn_layer_info info = random.make(kernels())->info();
      EXPECT_LT(info.memory_bytes, info.file_bytes + weights) << "float32, dense: once";
    }
  }
}

TEST(Int8Hash, OutliersFlipFewCodes) {
  for (const int32_t projection : {0, 4}) {
    const RandomLayer random(hashed(projection, 64));
    LoadOptions int8;
    int8.hash_dtype = LFFN_DTYPE_INT8;
    const std::vector<float> x = with_outliers(random, 300);
    std::vector<int32_t> exact(300 * 64), rounded(exact.size());
    random.make(kernels())->hash(x.data(), 300, exact.data(), nullptr);
    random.make(kernels(), int8)->hash(x.data(), 300, rounded.data(), nullptr);
    int flipped = 0;
    for (size_t i = 0; i < exact.size(); ++i) flipped += exact[i] != rounded[i] ? 1 : 0;
    EXPECT_LT(flipped, 0.04 * static_cast<double>(exact.size())) << "BH" << projection;
    EXPECT_GT(flipped, 0);
  }
}

}  // namespace
}  // namespace lffn
