// SPDX-License-Identifier: Apache-2.0
// Makes each allocation fail in turn: every call then says so, leaves nothing behind, and works once memory is back.
#include "tests/format/out_of_memory.h"

#include <fstream>

#include "tests/format/helpers.h"
#include "tests/support/allocator.h"

namespace lffn {
namespace {

struct Kind {
  const char* name;
  int32_t projection;
  int32_t num_probes;
  int32_t layer_norm;
  int32_t table_dtype;
  int32_t hash_dtype;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class OutOfMemory : public InFolder, public testing::WithParamInterface<Kind> {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    const lffn_allocator allocator = allocator_of(hook_allocate, hook_deallocate);
    ASSERT_EQ(lffn_set_default_allocator(&allocator), LFFN_OK);
    lffn_layer_config_init(&config_);
    config_.hidden_size = 24;
    config_.output_size = 20;
    config_.num_tables = 5;
    config_.table_size = 8;
    config_.projection = GetParam().projection;
    config_.block_size = 8;
    config_.num_probes = GetParam().num_probes;
    config_.layer_norm = GetParam().layer_norm;
    lffn_load_options_init(&options_);
    options_.num_threads = 1;
    options_.table_dtype = GetParam().table_dtype;
    options_.hash_dtype = GetParam().hash_dtype;
  }
  void TearDown() override {
    EXPECT_EQ(lffn_set_default_allocator(nullptr), LFFN_OK);
    InFolder::TearDown();
  }

  // A layer of float32 weights, in a file; loading it converts.
  std::string saved() {
    lffn_layer* layer = nullptr;
    EXPECT_EQ(lffn_layer_create(&config_, nullptr, 0, nullptr, &layer), LFFN_OK) << lffn_last_error();
    EXPECT_EQ(lffn_layer_save(layer, path("layer").c_str(), nullptr), LFFN_OK) << lffn_last_error();
    lffn_layer_free(layer);
    return path("layer");
  }
  void free_layer() {
    lffn_layer_free(layer_);
    layer_ = nullptr;
  }

  lffn_layer_config config_;
  lffn_load_options options_;
  lffn_layer* layer_ = nullptr;
};

TEST_P(OutOfMemory, LoadFromMemory) {
  const std::string file = content_of(saved());
  const int failures = survive([&] { return lffn_layer_load_memory(file.data(), file.size(), &options_, &layer_); },
                               [&] { free_layer(); }, [&] { ASSERT_EQ(layer_, nullptr); });
  EXPECT_GT(failures, 20) << "a load allocates for its header, its weights and its handle";
}

TEST_P(OutOfMemory, LoadFromFile) {
  const std::string file = saved();
  for (const uint32_t flags : {0u, static_cast<uint32_t>(LFFN_LOAD_MMAP)}) {
    options_.flags = flags;
    survive([&] { return lffn_layer_load(file.c_str(), &options_, &layer_); }, [&] { free_layer(); },
            [&] { ASSERT_EQ(layer_, nullptr); });
  }
}

TEST_P(OutOfMemory, LoadWithDefaultOptions) {
  const std::string file = content_of(saved());
  survive([&] { return lffn_layer_load_memory(file.data(), file.size(), nullptr, &layer_); }, [&] { free_layer(); });
}

TEST_P(OutOfMemory, CreateFromRandomWeights) {
  survive([&] { return lffn_layer_create(&config_, nullptr, 0, &options_, &layer_); }, [&] { free_layer(); },
          [&] { ASSERT_EQ(layer_, nullptr); });
}

TEST_P(OutOfMemory, CreateFromTensors) {
  config_.projection = LFFN_PROJECTION_DENSE;
  config_.layer_norm = 0;
  const std::vector<float> numbers(5 * 8 * 24, 0.25f);
  const auto tensor = [&](const char* name, std::vector<int64_t> shape) {
    lffn_tensor result;
    lffn_tensor_init(&result);
    result.name = name;
    result.dtype = LFFN_DTYPE_F32;
    result.rank = static_cast<int32_t>(shape.size());
    result.size = sizeof(float);
    for (size_t i = 0; i < shape.size(); ++i) result.size *= static_cast<size_t>(result.shape[i] = shape[i]);
    result.data = numbers.data();
    return result;
  };
  const lffn_tensor tensors[] = {tensor("hash.projection.weight", {15, 24}), tensor("hash.projection.bias", {15}),
                                 tensor("tables", {5, 8, 20}), tensor("bias", {20})};
  survive([&] { return lffn_layer_create(&config_, tensors, 4, &options_, &layer_); }, [&] { free_layer(); },
          [&] { ASSERT_EQ(layer_, nullptr); });
}

TEST_P(OutOfMemory, Save) {
  ASSERT_EQ(lffn_layer_create(&config_, nullptr, 0, &options_, &layer_), LFFN_OK) << lffn_last_error();
  const std::string file = path("saved");
  std::ofstream(file) << "old";
  const int failures = survive([&] { return lffn_layer_save(layer_, file.c_str(), nullptr); }, [] {},
                               [&] {
                                 ASSERT_EQ(content_of(file), "old");
                                 ASSERT_EQ(files_in_folder(), 1u);
                               });
  EXPECT_GT(failures, 10);
  EXPECT_NE(content_of(file), "old");
  free_layer();
}

TEST_P(OutOfMemory, ForwardAndHash) {
  const std::string file = content_of(saved());
  const std::vector<float> x(40 * 24, 0.5f);
  for (const int64_t tokens : {1, 40}) {
    std::vector<float> y(static_cast<size_t>(tokens) * 20);
    std::vector<int32_t> codes(static_cast<size_t>(tokens) * 5 * static_cast<size_t>(config_.num_probes));
    std::vector<float> scores(codes.size());
    const auto run = [&](const std::function<lffn_status()>& action) {
      const Balance before;
      ASSERT_EQ(lffn_layer_load_memory(file.data(), file.size(), &options_, &layer_), LFFN_OK) << lffn_last_error();
      int failures = 0;
      for (lffn_status status = LFFN_ERROR_OUT_OF_MEMORY; status != LFFN_OK; ++failures) {
        ASSERT_LT(failures, 1000);
        std::fill(y.begin(), y.end(), 7.0f);
        std::fill(codes.begin(), codes.end(), -7);
        left = failures;
        status = action();
        left = INT64_MAX;
        if (status == LFFN_OK) break;
        ASSERT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error();
        for (const float value : y) ASSERT_EQ(value, 7.0f) << "outputs are untouched";
        for (const int32_t code : codes) ASSERT_EQ(code, -7) << "outputs are untouched";
      }
      EXPECT_GT(failures, 0) << "the first call makes its scratch memory";
      ASSERT_EQ(action(), LFFN_OK);
      left = 0;
      const lffn_status again = action();
      left = INT64_MAX;
      EXPECT_EQ(again, LFFN_OK) << "a steady state needs no more memory: " << lffn_last_error();
      free_layer();
      EXPECT_TRUE(before == Balance());
    };
    run([&] { return lffn_layer_forward(layer_, x.data(), tokens, y.data()); });
    run([&] { return lffn_layer_hash(layer_, x.data(), tokens, codes.data(), scores.data()); });
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, OutOfMemory,
                         testing::Values(Kind{"bh4", 4, 1, 1, LFFN_DTYPE_F32, LFFN_DTYPE_F32},
                                         Kind{"bh1_probes", 1, 3, 0, LFFN_DTYPE_F32, LFFN_DTYPE_F32},
                                         Kind{"dense", LFFN_PROJECTION_DENSE, 1, 0, LFFN_DTYPE_F32, LFFN_DTYPE_F32},
                                         Kind{"bf16", 4, 3, 0, LFFN_DTYPE_BF16, LFFN_DTYPE_F32},
                                         Kind{"int8", 2, 1, 1, LFFN_DTYPE_INT8, LFFN_DTYPE_INT8},
                                         Kind{"int8_probes", 1, 2, 1, LFFN_DTYPE_INT8, LFFN_DTYPE_F32},
                                         Kind{"int8_dense", LFFN_PROJECTION_DENSE, 1, 1, LFFN_DTYPE_F32,
                                              LFFN_DTYPE_INT8}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lffn
