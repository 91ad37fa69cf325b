// SPDX-License-Identifier: Apache-2.0
// How much memory and time loading takes, and what is told of it before.
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "random_model.h"
#include "tests/format/helpers.h"
#include "tests/support/allocator.h"

namespace {

constexpr size_t kMiB = size_t{1} << 20;

// An allocator that knows the most that was held at once.
struct Heap {
  size_t held = 0, most = 0;
  static void* allocate(size_t size, size_t alignment, void* user) {
    auto& heap = *static_cast<Heap*>(user);
    heap.held += size;
    heap.most = std::max(heap.most, heap.held);
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
  }
  static void deallocate(void* memory, size_t size, void* user) {
    static_cast<Heap*>(user)->held -= size;
    std::free(memory);
  }
};

// A line of /proc/self/status, in bytes.
size_t memory_of_process(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    size_t kilobytes = 0;
    if (word == name + ":" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// The most that the process held at once while `load` ran, beyond what it held before.
template <typename Load>
size_t peak_of(Load&& load) {
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
  const size_t before = memory_of_process("VmRSS");
  load();
  // The kernel counts pages in batches, so where a load fits into what was held the peak may look a little smaller.
  return std::max(memory_of_process("VmHWM"), before) - before;
}

bool peaks_can_be_measured() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return false;
#endif
#endif
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << 5 << std::flush) && memory_of_process("VmHWM") < memory_of_process("VmRSS") + kMiB;
}

lookupffn::LoadOptions all_in(int32_t dtype) {
  lookupffn::LoadOptions options;
  options.linear_dtype = dtype;
  options.hash_dtype = dtype == LFFN_DTYPE_BF16 ? LFFN_DTYPE_F32 : dtype;
  options.table_dtype = dtype;
  options.embedding_dtype = dtype;
  options.word_row_dtype = dtype;
  return options;
}

TEST(MemoryEstimate, IsWhatLoadingTakes) {
  const std::string linear = testing::TempDir() + "/loading_memory_test.model" + std::to_string(getpid());
  RandomModelShape shape;
  shape.family = &lffn::kBert;
  shape.ffn_kinds = "wl";
  shape.has_word_rows = {true, false};
  shape.word_rows = 5000;
  shape.word_dtype = lffn::DType::kU8;
  random_model(shape).write(linear);
  for (const std::string& folder :
       {std::string(LFFN_MODEL_DATA "/model-lookup"), std::string(LFFN_MODEL_DATA "/model-mixed"),
        std::string(LFFN_HF_DATA "/distilbert-classes"), std::string(LFFN_HF_DATA "/roberta-classes"), linear}) {
    for (const int32_t dtype : {LFFN_DTYPE_AS_STORED, LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8}) {
      Heap heap;
      const lffn_allocator allocator = allocator_of(Heap::allocate, Heap::deallocate, &heap);
      lookupffn::RuntimeOptions with;
      with.allocator = &allocator;
      const lookupffn::Runtime runtime(with);
      lookupffn::LoadOptions options = all_in(dtype);
      options.runtime = runtime.get();
      const lookupffn::MemoryEstimate told = lookupffn::Model::estimate(folder, options);
      EXPECT_EQ(heap.held, 0u);
      EXPECT_LT(heap.most, 2 * kMiB) << "telling must not load";
      heap.most = 0;
      const lookupffn::Model model = lookupffn::Model::load(folder, options);
      const size_t weights = model.info().memory_bytes;
      EXPECT_EQ(weights, heap.held) << "the info counts every block";
      EXPECT_GE(told.weight_bytes, weights) << folder << " " << dtype;
      EXPECT_LE(told.weight_bytes, weights + weights / 20 + 4096) << folder << " " << dtype;
      EXPECT_GE(told.loading_bytes, heap.most) << folder << " " << dtype;
      EXPECT_LE(told.loading_bytes, told.weight_bytes + 2 * kMiB);
    }
  }
  std::filesystem::remove(linear);
}

bool operator==(const lookupffn::MemoryEstimate& a, const lookupffn::MemoryEstimate& b) {
  return a.weight_bytes == b.weight_bytes && a.loading_bytes == b.loading_bytes;
}

TEST(MemoryEstimate, IsTheSameOfFilesInMemory) {
  const std::string saved = testing::TempDir() + "/loading_memory_test.saved" + std::to_string(getpid());
  for (const std::string& folder :
       {std::string(LFFN_MODEL_DATA "/model-lookup"), std::string(LFFN_HF_DATA "/distilbert-classes")}) {
    std::vector<std::string> names, contents;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      names.push_back(entry.path().filename().string());
      contents.push_back(lffn::content_of(entry.path().string()));
    }
    std::vector<lffn_file> files;
    for (size_t i = 0; i < names.size(); ++i) {
      files.push_back({sizeof(lffn_file), names[i].c_str(), contents[i].data(), contents[i].size(), nullptr, nullptr});
    }
    lookupffn::Model::load(folder).save(saved);
    const std::string bytes = lffn::content_of(saved);
    const std::vector<lffn_file> one = {
        {sizeof(lffn_file), "model.safetensors", bytes.data(), bytes.size(), nullptr, nullptr}};
    for (const int32_t dtype : {LFFN_DTYPE_AS_STORED, LFFN_DTYPE_INT8}) {
      const lookupffn::LoadOptions options = all_in(dtype);
      EXPECT_TRUE(lookupffn::Model::estimate_files(files, options) == lookupffn::Model::estimate(folder, options));
      EXPECT_TRUE(lookupffn::Model::estimate_files(one, options) == lookupffn::Model::estimate(saved, options));
    }
  }
  std::filesystem::remove(saved);
}

TEST(MemoryEstimate, RefusesWhatCannotBeLoaded) {
  lookupffn::MemoryEstimate told;
  EXPECT_EQ(lffn_model_estimate("/nowhere", nullptr, &told), LFFN_ERROR_IO);
  EXPECT_EQ(lffn_model_estimate(nullptr, nullptr, &told), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_model_estimate("/nowhere", nullptr, nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  const int32_t cancel = 1;
  lookupffn::LoadOptions options;
  options.cancel = &cancel;
  EXPECT_EQ(lffn_model_estimate(LFFN_MODEL_DATA "/model-lookup", &options, &told), LFFN_ERROR_CANCELLED);
  EXPECT_EQ(lffn_model_estimate_files(nullptr, 1, nullptr, &told), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_model_estimate_files(nullptr, -1, nullptr, &told), LFFN_ERROR_INVALID_ARGUMENT);
  const std::vector<lffn_file> files = {{sizeof(lffn_file), "config.json", "{}", 2, nullptr, nullptr}};
  EXPECT_EQ(lffn_model_estimate_files(files.data(), 1, nullptr, nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_model_estimate_files(files.data(), 1, nullptr, &told), LFFN_ERROR_IO);
  told.struct_size = 8;
  EXPECT_EQ(lffn_model_estimate(LFFN_MODEL_DATA "/model-lookup", nullptr, &told), LFFN_ERROR_INVALID_ARGUMENT);
}

// Rows are packed by panels, which takes as much again as a narrow and long matrix.
TEST(MemoryEstimate, CountsTheRowsOnTheirWay) {
  if (!peaks_can_be_measured()) GTEST_SKIP() << "the peak of this process's memory cannot be measured";
  const std::string path = testing::TempDir() + "/loading_memory_test.narrow" + std::to_string(getpid());
  RandomModelShape shape;
  shape.hidden_size = 16;
  shape.num_heads = 1;
  shape.ffn_kinds = "v";
  shape.intermediate_size = 1 << 19;
  random_model(shape).write(path);
  const lookupffn::MemoryEstimate told = lookupffn::Model::estimate(path);
  const size_t peak = peak_of([&] { lookupffn::Model::load(path); });
  EXPECT_LE(peak, told.loading_bytes + 4 * kMiB);
  EXPECT_GE(peak, told.weight_bytes / 2) << "or nothing was measured";
  std::filesystem::remove(path);
}

// A file of 130 MB, more than may be held beside the packed weights.
TEST(LoadingMemory, OfALayerIsItsWeightsAndLittleMore) {
  if (!peaks_can_be_measured()) GTEST_SKIP() << "the peak of this process's memory cannot be measured";
  const std::string path = testing::TempDir() + "/loading_memory_test.layer" + std::to_string(getpid());
  lookupffn::LayerConfig config;
  config.hidden_size = 512;
  config.num_tables = 128;
  config.table_size = 512;
  lookupffn::Layer::create(config).save(path);
  ASSERT_GT(std::filesystem::file_size(path), 128 * kMiB);
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8}) {
    size_t weights = 0;
    const size_t peak = peak_of([&] { weights = lookupffn::Layer::load(path, all_in(dtype)).info().memory_bytes; });
    EXPECT_LE(peak, weights + 64 * kMiB) << dtype;
    EXPECT_GE(peak, weights / 2) << "or nothing was measured";
  }
  std::filesystem::remove(path);
}

double cpu_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(LoadingMemory, OfARealModelIsItsWeightsAndLittleMore) {
  const std::string folder = LFFN_REAL_MODELS "/all-MiniLM-L6-v2";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not here";
  if (!peaks_can_be_measured()) GTEST_SKIP() << "the peak of this process's memory cannot be measured";
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
    const lookupffn::LoadOptions options = all_in(dtype);
    const lookupffn::MemoryEstimate told = lookupffn::Model::estimate(folder, options);
    size_t weights = 0;
    const size_t peak = peak_of([&] { weights = lookupffn::Model::load(folder, options).info().memory_bytes; });
    EXPECT_LE(peak, weights + 64 * kMiB) << dtype;
    EXPECT_LE(weights, told.weight_bytes);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const double start = cpu_seconds();
      const lookupffn::Model model = lookupffn::Model::load(folder, options);
      best = std::min(best, cpu_seconds() - start);
    }
    RecordProperty(dtype == LFFN_DTYPE_F32 ? "f32_seconds" : "int8_seconds", std::to_string(best));
    RecordProperty(dtype == LFFN_DTYPE_F32 ? "f32_beyond_weights" : "int8_beyond_weights",
                   std::to_string(static_cast<int64_t>(peak - weights)));
    EXPECT_LT(best, 0.3) << "seconds of this thread's CPU, the best of five, " << dtype;
  }
}

}  // namespace
