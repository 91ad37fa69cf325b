// SPDX-License-Identifier: Apache-2.0
// Structs that cross the border, between programs and libraries of different versions.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "lookupffn/lookupffn.h"
#include "lookupffn/train.h"
#include "tests/api/struct_list.h"

namespace {

// The struct as a later header has it: with one more member.
template <typename Struct>
struct Longer {
  Struct known;
  int64_t more;
};

// No padding at the end: a later member would lie in it, where older programs leave rubbish.
#define ENDS_WITH(type, member) \
  static_assert(offsetof(type, member) + sizeof(type::member) == sizeof(type), #type " has padding at its end");
LFFN_STRUCTS(ENDS_WITH)
LFFN_TRAIN_STRUCTS(ENDS_WITH)

lffn_layer_config small_config() {
  lffn_layer_config config;
  lffn_layer_config_init(&config);
  config.hidden_size = 8;
  config.num_tables = 2;
  config.table_size = 4;
  config.block_size = 8;
  return config;
}

TEST(Structs, NoneIsForgottenHere) {
  std::set<std::string> listed, declared;
#define NAME(type, member) listed.insert(#type);
  LFFN_STRUCTS(NAME)
  LFFN_TRAIN_STRUCTS(NAME)
  const std::regex beginning(R"(struct (\w+) \{\s*size_t struct_size;)");
  size_t sizes = 0;
  for (const auto& header : std::filesystem::directory_iterator(LFFN_HEADERS)) {
    if (header.path().extension() != ".h") continue;
    std::ifstream file(header.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator found(text.begin(), text.end(), beginning), end; found != end; ++found) {
      declared.insert((*found)[1]);
    }
    for (size_t at = 0; (at = text.find(" struct_size;", at)) != std::string::npos; ++at) ++sizes;
  }
  EXPECT_EQ(listed, declared);
  EXPECT_EQ(sizes, declared.size()) << "struct_size is the first member, or there is none";
}

TEST(Structs, InitWritesNoMoreThanTheCallerHas) {
  struct Old {
    size_t struct_size;
    int32_t num_threads;
    int32_t guard;
  } old = {0, -1, 77};
  lffn_load_options_init_sized(reinterpret_cast<lffn_load_options*>(&old), offsetof(Old, guard));
  EXPECT_EQ(old.struct_size, offsetof(Old, guard));
  EXPECT_EQ(old.num_threads, 0);
  EXPECT_EQ(old.guard, 77);
}

TEST(Structs, InitClearsWhatOnlyTheCallerKnows) {
  Longer<lffn_load_options> options;
  std::memset(&options, 0xff, sizeof options);
  lffn_load_options_init_sized(&options.known, sizeof options);
  EXPECT_EQ(options.known.struct_size, sizeof options);
  EXPECT_EQ(options.known.table_dtype, LFFN_DTYPE_AS_STORED);
  EXPECT_EQ(options.more, 0);
  lffn_load_options_init_sized(nullptr, sizeof options);
  lffn_load_options_init_sized(&options.known, 0);
  EXPECT_EQ(options.known.struct_size, sizeof options) << "no room for anything";
}

TEST(Structs, LongerOnesAreAcceptedWhileTheRestIsZero) {
  const lffn_layer_config config = small_config();
  Longer<lffn_load_options> options = {};
  lffn_load_options_init_sized(&options.known, sizeof options);
  lffn_layer* layer = nullptr;
  ASSERT_EQ(lffn_layer_create(&config, nullptr, 0, &options.known, &layer), LFFN_OK) << lffn_last_error();
  lffn_layer_free(layer);
  layer = nullptr;
  options.more = 1;
  EXPECT_EQ(lffn_layer_create(&config, nullptr, 0, &options.known, &layer), LFFN_ERROR_UNSUPPORTED);
  EXPECT_NE(std::string(lffn_last_error()).find("does not know"), std::string::npos) << lffn_last_error();
  EXPECT_EQ(layer, nullptr);
}

TEST(Structs, ReservedMembersAreZero) {
  lffn_layer_config config = small_config();
  config.reserved = 1;
  lffn_layer* layer = nullptr;
  EXPECT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "config.reserved is 1, expected 0");
  config.reserved = 0;
  ASSERT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer), LFFN_OK);
  lffn_layer_run_args args;
  lffn_layer_run_args_init(&args);
  args.reserved = 7;
  EXPECT_EQ(lffn_layer_run(layer, &args), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "args.reserved is 7, expected 0");
  lffn_layer_free(layer);

  lffn_model* model = nullptr;
  ASSERT_EQ(lffn_model_load(LFFN_MODEL_DATA "/model-lookup", nullptr, &model), LFFN_OK) << lffn_last_error();
  lffn_model_answer_args answer;
  lffn_model_answer_args_init(&answer);
  answer.question = answer.context = "text";
  answer.reserved = 8;
  EXPECT_EQ(lffn_model_answer(model, &answer), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "args.reserved is 8, expected 0");
  lffn_model_zero_shot_args zero_shot;
  lffn_model_zero_shot_args_init(&zero_shot);
  zero_shot.text = "text";
  zero_shot.reserved = 9;
  EXPECT_EQ(lffn_model_zero_shot(model, &zero_shot), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "args.reserved is 9, expected 0");
  lffn_model_free(model);
}

// Members that were never set are refused by the first that is invalid, before a pointer is followed.
TEST(Structs, NumbersAreCheckedBeforeTheRuntimeIsLookedAt) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.runtime = reinterpret_cast<const lffn_runtime*>(uintptr_t{16});
  options.num_threads = -1;
  const lffn_layer_config config = small_config();
  lffn_layer* layer = nullptr;
  EXPECT_EQ(lffn_layer_create(&config, nullptr, 0, &options, &layer), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("options.num_threads is -1"), std::string::npos) << lffn_last_error();
}

TEST(Structs, SizesThatWereNeverSetAreRefused) {
  lffn_layer_config config = small_config();
  for (const size_t size : {sizeof config - 8, SIZE_MAX, size_t{5000}}) {
    config.struct_size = size;
    lffn_layer* layer = nullptr;
    EXPECT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer), LFFN_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(std::string(lffn_last_error()).find("call its _init function first"), std::string::npos);
  }
}

TEST(Structs, ShorterOnesThanTheFirstAreRefused) {
  lffn_layer_config config = small_config();
  config.struct_size = sizeof config - 8;
  lffn_layer* layer = nullptr;
  EXPECT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("config.struct_size"), std::string::npos) << lffn_last_error();
}

TEST(Structs, WhatTheLibraryFillsMayBeLonger) {
  const lffn_layer_config config = small_config();
  lffn_layer* layer = nullptr;
  ASSERT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer), LFFN_OK);
  Longer<lffn_layer_info> info = {};
  lffn_layer_info_init_sized(&info.known, sizeof info);
  info.more = 5;
  ASSERT_EQ(lffn_layer_get_info(layer, &info.known), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(info.known.struct_size, sizeof info);
  EXPECT_EQ(info.known.hidden_size, 8);
  EXPECT_EQ(info.more, 0) << "what the library does not know means as before";
  lffn_layer_free(layer);
}

TEST(Structs, ArraysStepByTheirStructSize) {
  const float numbers[1] = {1};
  Longer<lffn_tensor> tensors[2] = {};
  for (auto& tensor : tensors) {
    lffn_tensor_init_sized(&tensor.known, sizeof tensor);
    tensor.known.dtype = LFFN_DTYPE_F32;
    tensor.known.rank = 1;
    tensor.known.shape[0] = 1;
    tensor.known.data = numbers;
    tensor.known.size = sizeof numbers;
  }
  tensors[0].known.name = "first";
  tensors[1].known.name = "first";
  const lffn_layer_config config = small_config();
  lffn_layer* layer = nullptr;
  EXPECT_EQ(lffn_layer_create(&config, &tensors[0].known, 2, nullptr, &layer), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "first: given twice");
  tensors[1].known.struct_size = sizeof(lffn_tensor);
  EXPECT_EQ(lffn_layer_create(&config, &tensors[0].known, 2, nullptr, &layer), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("tensors[1].struct_size"), std::string::npos) << lffn_last_error();
}

}  // namespace
