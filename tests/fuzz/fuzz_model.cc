// SPDX-License-Identifier: Apache-2.0
// Any bytes as a whole model in one file: loading either refuses them with a reason or gives a model that runs.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "format/utf8.h"
#include "lookupffn/lookupffn.h"
#include "tests/fuzz/require.h"
#include "tests/support/allocator.h"
#include "tests/support/model_told.h"
#include "tests/support/short_calls.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kMostBytes = size_t{64} << 20;  // of one allocation
constexpr int64_t kMostNumbers = 1 << 22;        // of the outputs made here

void* allocate(size_t size, size_t alignment, void*) {
  return size > kMostBytes ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void deallocate(void* memory, size_t, void*) { std::free(memory); }

bool same_floats(const float* a, const float* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (std::memcmp(a + i, b + i, sizeof(float)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

// Whether the call was made; it may only fail for want of memory.
bool done(lffn_status status, const char* claim) {
  require(status == LFFN_OK || status == LFFN_ERROR_OUT_OF_MEMORY, claim);
  return status == LFFN_OK;
}

void run_ids(const lffn_model* model, const model_told::Info& info, uint32_t choice) {
  const int32_t longest = std::min(info.max_tokens, 4);
  if (longest < 1 || int64_t{info.vocab_size} + info.hidden_size + info.num_classes > kMostNumbers / 8) return;
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < longest + 1; ++i) {
    choice = choice * 1664525 + 1013904223;
    ids.push_back(static_cast<int32_t>(choice % static_cast<uint32_t>(info.vocab_size)));
  }
  const int64_t offsets[3] = {0, longest, longest + 1};  // two sequences
  const auto width = static_cast<size_t>(info.hidden_size);
  std::vector<float> together(ids.size() * width), alone(together.size());
  if (!done(short_calls::encode(model, ids.data(), offsets, 2, together.data()), "a loaded model runs")) return;
  const int64_t first[2] = {0, longest}, second[2] = {0, 1};
  const size_t cut = static_cast<size_t>(longest) * width;
  if (!done(short_calls::encode(model, ids.data(), first, 1, alone.data()), "a model runs one sequence")) return;
  if (!done(short_calls::encode(model, &ids.back(), second, 1, &alone[cut]), "a model runs one token")) return;
  require(same_floats(together.data(), alone.data(), alone.size()), "a sequence gives the same bits in any batch");

  std::vector<float> scores(static_cast<size_t>(info.num_classes) * 2 + 1);
  const lffn_status classified = short_calls::classify(model, ids.data(), offsets, 2, scores.data());
  require((classified == LFFN_ERROR_INVALID_ARGUMENT) == (info.num_classes == 0), "a classifier classifies");
  std::vector<float> logits(static_cast<size_t>(info.vocab_size));
  const int64_t position = longest;
  const lffn_status predicted = short_calls::logits(model, ids.data(), offsets, 2, &position, 1, logits.data());
  require((predicted == LFFN_ERROR_INVALID_ARGUMENT) == (info.has_lm_head == 0), "a language model head predicts");
}

void run_text(const lffn_model* model, const model_told::Info& info) {
  constexpr std::string_view kText = "ab <mask> \xC3\xA4 a";
  int32_t ids[kText.size() + 2];
  int64_t count = 0;
  const lffn_status status =
      short_calls::tokenize(model, kText.data(), kText.size(), 0, ids, nullptr, nullptr, kText.size() + 2, &count);
  require((status == LFFN_OK) == (info.has_tokenizer != 0), "a model with a tokenizer reads text");
  if (status != LFFN_OK) return;
  for (int64_t i = 0; i < count; ++i) require(ids[i] >= 0 && ids[i] < info.vocab_size, "a token is in the vocabulary");
  size_t size = 0;
  done(short_calls::detokenize(model, ids, count, 0, nullptr, 0, &size), "ids become text");
  if (info.vocab_size > kMostNumbers / 8) return;
  int32_t found = 0;
  float probability = 0;
  int64_t masks = 0;
  const lffn_status filled =
      short_calls::fill_mask(model, kText.data(), kText.size(), 1, &found, &probability, 1, &masks);
  require(filled == LFFN_OK || filled == LFFN_ERROR_INVALID_ARGUMENT || filled == LFFN_ERROR_TOO_LONG ||
              filled == LFFN_ERROR_TOO_SMALL || filled == LFFN_ERROR_OUT_OF_MEMORY,
          "masks are filled or refused");
  require(found >= 0 && found < info.vocab_size, "a filling is in the vocabulary");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool ready = [] {
    const lffn_allocator allocator = allocator_of(allocate, deallocate);
    return lffn_set_default_allocator(&allocator) == LFFN_OK;
  }();
  require(ready, "the allocator is taken");
  uint32_t choice = 2166136261u;  // how to load is drawn from the bytes themselves
  for (size_t i = 0; i < size; ++i) choice = (choice ^ data[i]) * 16777619u;
  choice ^= choice >> 15;
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.num_threads = 1;
  options.table_dtype = static_cast<int32_t>(choice % 4);
  constexpr int32_t kWordTypes[] = {LFFN_DTYPE_AS_STORED, LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8,
                                    LFFN_DTYPE_INT4};
  options.word_row_dtype = kWordTypes[choice / 8 % 5];
  options.hash_dtype = choice / 4 % 2 == 0 ? LFFN_DTYPE_INT8 : LFFN_DTYPE_AS_STORED;

  lffn_model* model = nullptr;
  const lffn_status status = lffn_model_load_memory(data, size, &options, &model);
  if (status == LFFN_OK) {
    model_told::Info info = {};
    require(model_told::get(model, info) == LFFN_OK, "a loaded model tells what it is");
    for (int32_t layer = 0; layer < info.num_layers; ++layer) {
      lffn_model_layer_info parts;
      lffn_model_layer_info_init(&parts);
      require(lffn_model_get_layer_info(model, layer, &parts) == LFFN_OK, "a loaded model tells of its layers");
    }
    run_ids(model, info, choice);
    run_text(model, info);
    lffn_model_free(model);
  } else {
    require(model == nullptr, "a failed load hands out nothing");
    require(status == LFFN_ERROR_BAD_MODEL || status == LFFN_ERROR_OUT_OF_MEMORY || status == LFFN_ERROR_UNSUPPORTED,
            "a failed load blames the file");
    const std::string_view reason = lffn_last_error();
    require(!reason.empty() && lffn::valid_utf8_length(reason) == reason.size(), "a failed load tells why, in UTF-8");
  }
  require(lffn_live_handles() == 0, "nothing is left");
  return 0;
}
