// Makes each allocation fail in turn: every call then says so, leaves nothing behind, and works once memory is back.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/format/helpers.h"

namespace {

std::atomic<int64_t> live_blocks{0};    // of operator new and of the library's allocator
std::atomic<int64_t> live_bytes{0};     // of the library's allocator, which is told the sizes
thread_local int64_t left = INT64_MAX;  // allocations of this thread that still succeed
thread_local int64_t refused = 0;

bool may_allocate() {
  if (left == INT64_MAX) return true;
  if (left > 0) {
    --left;
    return true;
  }
  ++refused;
  return false;
}

void* counted_new(size_t size, size_t alignment) {
  if (!may_allocate()) return nullptr;
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory != nullptr) ++live_blocks;
  return memory;
}

void counted_delete(void* memory) {
  if (memory != nullptr) --live_blocks;
  std::free(memory);
}

void* new_or_throw(size_t size, size_t alignment) {
  void* memory = counted_new(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr size_t kUsual = alignof(std::max_align_t);

}  // namespace

void* operator new(size_t size) { return new_or_throw(size, kUsual); }
void* operator new[](size_t size) { return new_or_throw(size, kUsual); }
void* operator new(size_t size, std::align_val_t to) { return new_or_throw(size, static_cast<size_t>(to)); }
void* operator new[](size_t size, std::align_val_t to) { return new_or_throw(size, static_cast<size_t>(to)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return counted_new(size, kUsual); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return counted_new(size, kUsual); }
void operator delete(void* memory) noexcept { counted_delete(memory); }
void operator delete[](void* memory) noexcept { counted_delete(memory); }
void operator delete(void* memory, size_t) noexcept { counted_delete(memory); }
void operator delete[](void* memory, size_t) noexcept { counted_delete(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { counted_delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { counted_delete(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { counted_delete(memory); }

namespace lffn {
namespace {

void* hook_allocate(size_t size, size_t alignment, void*) {
  if (!may_allocate()) return nullptr;
  ++live_blocks;
  live_bytes += static_cast<int64_t>(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void hook_deallocate(void* memory, size_t size, void*) {
  --live_blocks;
  live_bytes -= static_cast<int64_t>(size);
  std::free(memory);
}

struct Balance {
  int64_t blocks = live_blocks;
  int64_t bytes = live_bytes;
  int64_t handles = lffn_live_handles();
  bool operator==(const Balance& other) const {
    return blocks == other.blocks && bytes == other.bytes && handles == other.handles;
  }
};

// Runs the action with 0, 1, 2, ... allocations that succeed, until it needs no more than that. After each failure, and
// after undo, all must be as before; unchanged() may look at more. Returns how many failures there were.
int survive(
    const std::function<lffn_status()>& action, const std::function<void()>& undo,
    const std::function<void()>& unchanged = [] {}) {
  for (int allowed = 0; allowed < 100000; ++allowed) {
    const Balance before;
    left = allowed;
    refused = 0;
    const lffn_status status = action();
    left = INT64_MAX;
    if (status == LFFN_OK) {
      EXPECT_EQ(refused, 0) << "an allocation failed unnoticed, after " << allowed;
      undo();
      EXPECT_TRUE(before == Balance()) << "something is left after success";
      return allowed;
    }
    const Balance after;
    EXPECT_EQ(status, LFFN_ERROR_OUT_OF_MEMORY) << lffn_last_error() << ", after " << allowed << " allocations";
    EXPECT_STRNE(lffn_last_error(), "");
    EXPECT_EQ(before.blocks, after.blocks) << "after " << allowed << " allocations";
    EXPECT_EQ(before.bytes, after.bytes);
    EXPECT_EQ(before.handles, after.handles);
    unchanged();
    if (testing::Test::HasFailure()) return allowed;
  }
  ADD_FAILURE() << "never succeeds";
  return 0;
}

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
    const lffn_allocator allocator = {sizeof(lffn_allocator), hook_allocate, hook_deallocate, nullptr};
    ASSERT_EQ(lffn_set_allocator(&allocator), LFFN_OK);
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
    EXPECT_EQ(lffn_set_allocator(nullptr), LFFN_OK);
    InFolder::TearDown();
  }

  // A layer of float32 weights, in a file; loading it converts.
  std::string saved() {
    lffn_layer* layer = nullptr;
    EXPECT_EQ(lffn_layer_create(&config_, nullptr, 0, nullptr, &layer), LFFN_OK) << lffn_last_error();
    EXPECT_EQ(lffn_layer_save(layer, path("layer").c_str()), LFFN_OK) << lffn_last_error();
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
    result.dtype = LFFN_F32;
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
  const int failures = survive([&] { return lffn_layer_save(layer_, file.c_str()); }, [] {},
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
                         testing::Values(Kind{"bh4", 4, 1, 1, LFFN_F32, LFFN_F32},
                                         Kind{"bh1_probes", 1, 3, 0, LFFN_F32, LFFN_F32},
                                         Kind{"dense", LFFN_PROJECTION_DENSE, 1, 0, LFFN_F32, LFFN_F32},
                                         Kind{"bf16", 4, 3, 0, LFFN_BF16, LFFN_F32},
                                         Kind{"int8", 2, 1, 1, LFFN_INT8, LFFN_INT8},
                                         Kind{"int8_probes", 1, 2, 1, LFFN_INT8, LFFN_F32},
                                         Kind{"int8_dense", LFFN_PROJECTION_DENSE, 1, 1, LFFN_F32, LFFN_INT8}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lffn
