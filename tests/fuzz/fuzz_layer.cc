// SPDX-License-Identifier: Apache-2.0
// Any bytes as a layer: loading either refuses them with a reason or gives a layer that runs.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "lookupffn/lookupffn.h"
#include "tests/fuzz/require.h"
#include "tests/support/allocator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kMostBytes = size_t{64} << 20;  // of one allocation
constexpr int64_t kMostNumbers = 1 << 22;        // of the inputs, outputs and codes made here

void* allocate(size_t size, size_t alignment, void*) {
  return size > kMostBytes ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void deallocate(void* memory, size_t, void*) { std::free(memory); }

// How to load is drawn from the bytes themselves, so that every input is a plain file.
uint32_t digest(const uint8_t* data, size_t size) {
  uint32_t value = 2166136261u;
  for (size_t i = 0; i < size; ++i) value = (value ^ data[i]) * 16777619u;
  return value ^ value >> 15;
}

bool same_floats(const float* a, const float* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (std::memcmp(a + i, b + i, sizeof(float)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

// What is saved loads again and gives the same outputs.
void save_and_load(const lffn_layer* layer, const std::vector<float>& x, int64_t tokens, const std::vector<float>& y) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("fuzz_layer-" + std::to_string(getpid()))).string();
  const lffn_status saved = lffn_layer_save(layer, path.c_str(), nullptr);
  if (saved == LFFN_ERROR_OUT_OF_MEMORY) return;
  require(saved == LFFN_OK, "a loaded layer can be saved");
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  lffn_layer* again = nullptr;
  const lffn_status loaded = lffn_layer_load(path.c_str(), &options, &again);
  std::filesystem::remove(path);
  require(loaded == LFFN_OK, lffn_last_error());
  std::vector<float> y_again(y.size());
  require(lffn_layer_forward(again, x.data(), tokens, y_again.data()) == LFFN_OK, "a saved layer runs");
  require(same_floats(y.data(), y_again.data(), y.size()), "a saved layer gives the same bits");
  lffn_layer_free(again);
}

void run(const lffn_layer* layer, uint32_t choice) {
  lffn_layer_info info;
  lffn_layer_info_init(&info);
  require(lffn_layer_get_info(layer, &info) == LFFN_OK, "a loaded layer tells what it is");
  const int64_t tokens = 1 + choice % 3;
  const int64_t codes_per_token = int64_t{info.num_tables} * info.num_probes;
  if (tokens * (info.hidden_size + info.output_size + codes_per_token) > kMostNumbers) return;

  std::vector<float> x(static_cast<size_t>(tokens * info.hidden_size));
  for (float& value : x) {
    choice = choice * 1664525 + 1013904223;
    value = static_cast<float>(static_cast<int32_t>(choice)) * 0x1p-30f;
  }
  if (choice % 8 == 0) x[x.size() / 2] = choice % 16 == 0 ? NAN : INFINITY;

  std::vector<float> together(static_cast<size_t>(tokens * info.output_size));
  std::vector<float> alone(together.size());
  const lffn_status status = lffn_layer_forward(layer, x.data(), tokens, together.data());
  if (status == LFFN_ERROR_OUT_OF_MEMORY) return;
  require(status == LFFN_OK, "a loaded layer runs");
  for (int64_t i = 0; i < tokens; ++i) {
    require(
        lffn_layer_forward(layer, x.data() + i * info.hidden_size, 1, alone.data() + i * info.output_size) == LFFN_OK,
        "a loaded layer runs one token");
  }
  require(same_floats(together.data(), alone.data(), together.size()), "a token gives the same bits in any batch");

  std::vector<int32_t> codes(static_cast<size_t>(tokens * codes_per_token), -1);
  std::vector<float> scores(codes.size());
  require(lffn_layer_hash(layer, x.data(), tokens, codes.data(), scores.data()) == LFFN_OK, "a loaded layer hashes");
  for (const int32_t code : codes) require(code >= 0 && code < info.table_size, "a code is a row of its table");
  if (choice % 32 == 0) save_and_load(layer, x, tokens, together);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool ready = [] {
    const lffn_allocator allocator = allocator_of(allocate, deallocate);
    return lffn_set_default_allocator(&allocator) == LFFN_OK;
  }();
  require(ready, "the allocator is taken");
  const uint32_t choice = digest(data, size);
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  options.table_dtype = static_cast<int32_t>(choice % 4);
  options.hash_dtype = choice / 4 % 3 == 0   ? LFFN_DTYPE_F32
                       : choice / 4 % 3 == 1 ? LFFN_DTYPE_INT8
                                             : LFFN_DTYPE_AS_STORED;

  lffn_layer* layer = nullptr;
  const lffn_status status = lffn_layer_load_memory(data, size, &options, &layer);
  if (status == LFFN_OK) {
    run(layer, choice);
    lffn_layer_free(layer);
  } else {
    require(layer == nullptr, "a failed load hands out nothing");
    require(status == LFFN_ERROR_BAD_MODEL || status == LFFN_ERROR_OUT_OF_MEMORY || status == LFFN_ERROR_UNSUPPORTED,
            "a failed load blames the file");
    const std::string_view reason = lffn_last_error();
    require(!reason.empty() && lffn::valid_utf8_length(reason) == reason.size(), "a failed load tells why, in UTF-8");
  }
  require(lffn_live_handles() == 0, "nothing is left");
  return 0;
}
