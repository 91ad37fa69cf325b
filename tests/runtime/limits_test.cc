// SPDX-License-Identifier: Apache-2.0
// However little memory and however few threads a process may have: calls fail or do without, and it lives on.
#include <gtest/gtest.h>
#include <lookupffn/lookupffn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "tests/support/outputs.h"

namespace {

constexpr int64_t kTokens = 256, kSize = 48;
float x[kTokens * kSize], y[kTokens * kSize];

lffn_layer_config small_config() {
  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = kSize;
  config.num_tables = 7;
  config.table_size = 32;
  config.block_size = 16;
  return config;
}

// The files of a small model, read before there are limits.
constexpr const char* kNames[] = {"config.json", "model.safetensors", "vocab.json", "merges.txt"};
constexpr int64_t kNumFiles = std::size(kNames);
std::string contents[kNumFiles];

void read_model() {
  for (int64_t i = 0; i < kNumFiles; ++i) {
    std::ifstream file(std::string(LFFN_MODEL_DATA "/model-lookup/") + kNames[i], std::ios::binary);
    contents[i].assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(contents[i].empty()) << kNames[i];
  }
}

bool well_or_no_memory(lffn_status status) { return status == LFFN_OK || status == LFFN_ERROR_OUT_OF_MEMORY; }

// Runs texts and looks at what came of them, with as much of it as there is memory for.
bool run_model(const lffn_model* model) {
  const char* texts[] = {"a first text", "and a second one, which is longer, much longer"};
  lffn_result* result = nullptr;
  if (!well_or_no_memory(lffn_result_create(&result))) return false;
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = std::size(texts);
  args.texts = texts;
  outputs::keep(args, outputs::kHidden | outputs::kEmbeddings);
  args.result = result;
  bool well = true;
  for (int round = 0; round < 2 && result != nullptr; ++round) {
    const lffn_status status = lffn_model_run(model, &args);
    well &= well_or_no_memory(status);
    if (status != LFFN_OK) continue;
    const outputs::View view(result);
    well &= view.n == args.n && view.embeddings != nullptr && view.hidden != nullptr;
  }
  lffn_result_free(result);
  return well;
}

// A runtime, a tokenizer and a model, all from memory.
bool use_model() {
  lffn_file files[kNumFiles];
  for (int64_t i = 0; i < kNumFiles; ++i) {
    lffn_file_init(&files[i]);
    files[i].name = kNames[i];
    files[i].data = contents[i].data();
    files[i].size = contents[i].size();
  }
  lffn_runtime_options runtime_options;
  lffn_runtime_options_init(&runtime_options);
  runtime_options.num_threads = 4;
  lffn_runtime* runtime = nullptr;
  bool well = well_or_no_memory(lffn_runtime_create(&runtime_options, &runtime));
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.runtime = runtime;
  lffn_tokenizer* tokenizer = nullptr;
  const lffn_status read = lffn_tokenizer_load_files(files, kNumFiles, &options, &tokenizer);
  well &= well_or_no_memory(read) && (read == LFFN_OK) == (tokenizer != nullptr);
  lffn_tokenizer_free(tokenizer);
  lffn_model* model = nullptr;
  const lffn_status loaded = lffn_model_load_files(files, kNumFiles, &options, &model);
  well &= well_or_no_memory(loaded) && (loaded == LFFN_OK) == (model != nullptr);
  lffn_runtime_free(runtime);
  if (model != nullptr) well &= run_model(model);
  lffn_model_free(model);
  return well;
}

// Makes a layer, runs it and fails on purpose, whatever comes of it; then a model. What is not NULL: a call that lied.
void* use_library(void*) {
  lffn_layer_config config = small_config();
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 8;
  void* lied = nullptr;
  for (int round = 0; round < 3; ++round) {
    lffn_layer* layer = nullptr;
    const lffn_status made = lffn_layer_create(&config, nullptr, 0, &options, &layer);
    if ((made == LFFN_OK) != (layer != nullptr)) lied = &config;
    if (made == LFFN_OK) {
      for (float& value : y) value = -1;
      const lffn_status status = lffn_layer_forward(layer, x, kTokens, y);
      if (status == LFFN_OK && y[kTokens * kSize - 1] == -1) lied = &config;
      if (status != LFFN_OK && status != LFFN_ERROR_OUT_OF_MEMORY) lied = &config;
      lffn_layer_free(layer);
    } else if (made != LFFN_ERROR_OUT_OF_MEMORY) {
      lied = &config;
    }
    if (lffn_layer_load("/there is no such file", nullptr, &layer) == LFFN_OK) lied = &config;
    if (std::strlen(lffn_last_error()) == 0) lied = &config;
  }
  if (!use_model()) lied = &config;
  return lied == nullptr ? nullptr : x;
}

// 0: all went well in a child with this limit, in its first thread and in another one.
int in_child(const char* executor, const std::function<void()>& limit) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("LOOKUPFFN_EXECUTOR", executor, 1);
    alarm(60);
    limit();
    bool well = use_library(nullptr) == nullptr;
    pthread_t other;
    if (pthread_create(&other, nullptr, use_library, nullptr) == 0) {
      void* result = nullptr;
      pthread_join(other, &result);
      well &= result == nullptr;
    }
    _exit(well ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class Limits : public testing::TestWithParam<const char*> {
  void SetUp() override {
#ifndef LFFN_TEST_OPENMP
    if (std::strcmp(GetParam(), "openmp") == 0) GTEST_SKIP() << "built without OpenMP";
#endif
    read_model();
  }
};

TEST_P(Limits, OfTheAddressSpaceEndNoProcess) {
  for (const int64_t kib : {0,    16,   64,    128,   256,   512,   1024,  1536,  2048,   3000,  4096,
                            6000, 9000, 12000, 17000, 24000, 40000, 70000, 90000, 140000, 300000}) {
    const auto limit = [kib] {
      long pages = 0;
      if (FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld", &pages) != 1) _exit(2);  // NOLINT(cert-err34-c)
        std::fclose(file);
      }
      const rlim_t most = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + kib * 1024);
      const rlimit small = {most, most};
      if (setrlimit(RLIMIT_AS, &small) != 0) _exit(3);
    };
    EXPECT_EQ(in_child(GetParam(), limit), 0) << kib << " KiB more";
  }
}

TEST_P(Limits, OfProcessesEndNoProcess) {
  for (const rlim_t processes : {0, 1, 2, 4}) {
    const auto limit = [processes] {
      // The limit does not hold for root.
      if (getuid() == 0 && setuid(54321) != 0) _exit(2);
      const rlimit small = {processes, processes};
      if (setrlimit(RLIMIT_NPROC, &small) != 0) _exit(3);
    };
    EXPECT_EQ(in_child(GetParam(), limit), 0) << processes << " processes";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Limits, testing::Values("team", "openmp"));

// A thread that another one cancels ends between calls, not in the midst of one.
TEST(Cancellation, WaitsForTheEndOfACall) {
  const lffn_layer_config config = small_config();
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 3;
  lffn_layer* layer = nullptr;
  ASSERT_EQ(lffn_layer_create(&config, nullptr, 0, &options, &layer), LFFN_OK);
  for (int round = 0; round < 50; ++round) {
    pthread_t caller;
    const auto call_forever = [](void* used) -> void* {
      while (true) {
        if (lffn_layer_forward(static_cast<lffn_layer*>(used), x, kTokens, y) != LFFN_OK) return used;
        if (lffn_layer_load("/there is no such file", nullptr, nullptr) == LFFN_OK) return used;
        lffn_layer* none = nullptr;
        if (lffn_layer_load("/dev/null", nullptr, &none) == LFFN_OK) return used;
        pthread_testcancel();
      }
    };
    ASSERT_EQ(pthread_create(&caller, nullptr, call_forever, layer), 0);
    usleep(500);
    ASSERT_EQ(pthread_cancel(caller), 0);
    void* result = nullptr;
    ASSERT_EQ(pthread_join(caller, &result), 0);
    EXPECT_EQ(result, PTHREAD_CANCELED);
  }
  EXPECT_EQ(lffn_layer_forward(layer, x, kTokens, y), LFFN_OK);
  lffn_layer_free(layer);
}

// Functions that give back what they hold are calls too, though they return nothing.
TEST(Cancellation, WaitsForTheEndOfWhatGivesBack) {
  const auto cancelled = [](void*) -> void* {
    lffn_runtime_options own;
    lffn_runtime_options_init(&own);
    lffn_allocator allocator;
    lffn_allocator_init(&allocator);
    allocator.allocate = [](size_t size, size_t alignment, void*) {
      return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    allocator.deallocate = [](void* memory, size_t, void*) {
      pthread_testcancel();
      std::free(memory);
    };
    own.allocator = &allocator;
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.num_threads = 3;
    lffn_runtime* runtime = nullptr;
    if (lffn_runtime_create(&own, &runtime) != LFFN_OK) return nullptr;
    options.runtime = runtime;
    const lffn_layer_config config = small_config();
    lffn_layer* layer = nullptr;
    if (lffn_layer_create(&config, nullptr, 0, &options, &layer) != LFFN_OK) return nullptr;
    if (lffn_layer_forward(layer, x, kTokens, y) != LFFN_OK) return nullptr;
    lffn_runtime_free(runtime);
    pthread_cancel(pthread_self());  // takes effect where it first may
    lffn_trim();
    lffn_shutdown_threads();
    lffn_layer_free(layer);
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before == PTHREAD_CANCEL_ENABLE ? x : nullptr;
  };
  for (int round = 0; round < 20; ++round) {
    pthread_t caller;
    ASSERT_EQ(pthread_create(&caller, nullptr, cancelled, nullptr), 0);
    void* result = nullptr;
    ASSERT_EQ(pthread_join(caller, &result), 0);
    ASSERT_EQ(result, x) << "ended in the midst of a call, or something failed: " << lffn_last_error();
    ASSERT_EQ(lffn_live_handles(), 0);
  }
}

}  // namespace
