// SPDX-License-Identifier: Apache-2.0
// The C++ header: types, views, exceptions.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "tests/support/short_calls.h"

// Counts what this program allocates. A sanitizer has its own functions for that.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LFFN_SANITIZED 1
#endif
#endif
#if !defined(LFFN_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LFFN_COUNTS_ALLOCATIONS 1
static thread_local long allocations = 0;
// Never inlined, or the compiler takes their malloc and free for a mistake of their callers'.
__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace {

using lookupffn::CancelFlag;
using lookupffn::Layer;
using lookupffn::LayerConfig;
using lookupffn::LayerInfo;
using lookupffn::LoadOptions;
using lookupffn::Span;
using lookupffn::Tokens;

static_assert(std::is_nothrow_move_constructible_v<Layer> && std::is_nothrow_move_assignable_v<Layer>);
static_assert(!std::is_copy_constructible_v<Layer> && !std::is_copy_assignable_v<Layer>);
static_assert(std::is_convertible_v<const std::vector<float>&, Tokens<const float>>);
static_assert(!std::is_convertible_v<const std::vector<float>&, Tokens<float>>, "const would be lost");
static_assert(!std::is_convertible_v<std::vector<double>&, Tokens<const float>>, "not floats");
static_assert(sizeof(lookupffn::Tensor) == sizeof(lffn_tensor), "arrays of them cross the border");

constexpr int kHidden = 24;
constexpr int kOutput = 10;

LayerConfig small_config() {
  LayerConfig config;
  config.hidden_size = kHidden;
  config.output_size = kOutput;
  config.num_tables = 6;
  config.table_size = 16;
  config.block_size = 8;
  config.seed = 3;
  return config;
}

std::vector<float> numbers(int64_t count) {
  std::vector<float> result;
  for (int64_t i = 0; i < count; ++i) result.push_back(static_cast<float>(i * 29 % 17) / 8 - 1);
  return result;
}

std::string temporary_file(const char* name) { return (std::filesystem::path(testing::TempDir()) / name).string(); }

TEST(Hpp, ForwardIntoNewAndGivenMemoryAgree) {
  const Layer layer = Layer::create(small_config());
  const std::vector<float> x = numbers(5 * kHidden);
  std::array<float, 5 * kOutput> y{};
  layer.forward(x, y);
  EXPECT_EQ(layer.forward(x), std::vector<float>(y.begin(), y.end()));
  EXPECT_NE(y[0], 0);
}

TEST(Hpp, NoTokensAreFine) {
  const Layer layer = Layer::create(small_config());
  EXPECT_TRUE(layer.forward(std::vector<float>()).empty());
  EXPECT_TRUE(layer.hash(Span<const float>()).codes.empty());
}

TEST(Hpp, StridesReachEveryTokenAndNothingElse) {
  const Layer layer = Layer::create(small_config());
  constexpr int64_t kTokens = 4;
  constexpr int64_t kInputStride = kHidden + 3;
  constexpr int64_t kOutputStride = kOutput + 5;
  const std::vector<float> wide = numbers(kTokens * kInputStride);
  std::vector<float> x;
  for (int64_t t = 0; t < kTokens; ++t) {
    x.insert(x.end(), wide.begin() + t * kInputStride, wide.begin() + t * kInputStride + kHidden);
  }
  const std::vector<float> expected = layer.forward(x);
  // The last row ends where its width ends.
  std::vector<float> y((kTokens - 1) * kOutputStride + kOutput, -7.0f);
  layer.forward({wide, kTokens, kInputStride}, {y, kTokens, kOutputStride});
  for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
    const int64_t column = i % kOutputStride;
    EXPECT_EQ(y[i], column < kOutput ? expected[i / kOutputStride * kOutput + column] : -7.0f) << i;
  }
}

TEST(Hpp, AddAddsToWhatIsThere) {
  const Layer layer = Layer::create(small_config());
  const std::vector<float> x = numbers(2 * kHidden);
  const std::vector<float> plain = layer.forward(x);
  std::vector<float> y(plain.size(), 0.5f);
  layer.forward(x, y, LFFN_LAYER_RUN_ADD);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], plain[i] + 0.5f, 1e-6) << i;
}

TEST(Hpp, ViewsThatDoNotFitThrow) {
  const Layer layer = Layer::create(small_config());
  const std::vector<float> x = numbers(2 * kHidden);
  std::vector<float> y(2 * kOutput);
  const Span<const float> half_a_token(x.data(), kHidden / 2);
  EXPECT_THROW(layer.forward(half_a_token, y), lookupffn::InvalidArgument);
  EXPECT_THROW(layer.forward(half_a_token), lookupffn::InvalidArgument);
  EXPECT_THROW(layer.hash(half_a_token), lookupffn::InvalidArgument);
  EXPECT_THROW(layer.forward(x, Span<float>(y.data(), kOutput)), lookupffn::InvalidArgument);
  EXPECT_THROW(layer.forward({x, 3, kHidden}, y), lookupffn::InvalidArgument) << "three tokens in the room of two";
  EXPECT_THROW(layer.forward({x, 2, kHidden - 1}, y), lookupffn::InvalidArgument) << "rows that overlap";
  EXPECT_THROW(layer.forward({x, -1, kHidden}, y), lookupffn::InvalidArgument);
  EXPECT_THROW(layer.forward({x, 2, int64_t{1} << 62}, y), lookupffn::InvalidArgument);
}

TEST(Hpp, CancelFlagStopsAForward) {
  const Layer layer = Layer::create(small_config());
  const std::vector<float> x = numbers(kHidden);
  std::vector<float> y(kOutput);
  CancelFlag flag;
  flag.cancel();
  EXPECT_TRUE(flag.cancelled());
  EXPECT_THROW(layer.forward(x, y, 0, &flag), lookupffn::Cancelled);
  flag.reset();
  EXPECT_NO_THROW(layer.forward(x, y, 0, &flag));
}

TEST(Hpp, HashHasEveryTableAndProbe) {
  LayerConfig config = small_config();
  config.num_probes = 3;
  const lookupffn::Hashes hashes = Layer::create(config).hash(numbers(7 * kHidden));
  EXPECT_EQ(hashes.codes.size(), 7U * 6 * 3);
  EXPECT_EQ(hashes.scores.size(), hashes.codes.size());
}

TEST(Hpp, SavedFilesLoadFromPathAndMemory) {
  const std::string path = temporary_file("hpp-\xF0\x9F\x93\xA6.safetensors");
  const Layer made = Layer::create(small_config());
  made.save(path);
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const std::vector<float> x = numbers(3 * kHidden);
  EXPECT_EQ(Layer::load(std::filesystem::path(path)).forward(x), made.forward(x));
  EXPECT_EQ(Layer::load_memory(bytes).forward(x), made.forward(x));
  std::remove(path.c_str());
}

TEST(Hpp, LayersMoveAndFreeOnce) {
  const int64_t before = lffn_live_handles();
  {
    Layer first = Layer::create(small_config());
    Layer second = Layer::create(small_config());
    EXPECT_EQ(lffn_live_handles(), before + 2);
    second = std::move(first);
    EXPECT_EQ(lffn_live_handles(), before + 1) << "what was held is freed";
    lffn_layer* handle = second.release();
    EXPECT_EQ(second.get(), nullptr);
    const Layer third(handle);
    EXPECT_EQ(third.info().hidden_size, kHidden);
    EXPECT_THROW(second.info(), lookupffn::InvalidArgument) << "nothing is left in it";
  }
  EXPECT_EQ(lffn_live_handles(), before);
}

TEST(Hpp, TensorsArePassedOn) {
  const std::vector<float> ones(6, 1.0f);
  const lookupffn::Tensor tensor("tables", ones, {1, 2, 3});
  EXPECT_EQ(tensor.struct_size, sizeof(lffn_tensor));
  EXPECT_EQ(tensor.rank, 3);
  EXPECT_EQ(tensor.shape[2], 3);
  EXPECT_EQ(tensor.size, 24U);
  EXPECT_THROW(lookupffn::Tensor("deep", ones, {1, 1, 1, 1, 1, 1, 1, 1, 6}), lookupffn::InvalidArgument);
  try {
    Layer::create(small_config(), std::vector<lookupffn::Tensor>{tensor});
    FAIL() << "a layer needs more than wrongly shaped tables";
  } catch (const lookupffn::Error& error) {
    EXPECT_NE(std::string(error.what()), "");
  }
}

TEST(Hpp, EachStatusHasItsException) {
  EXPECT_NO_THROW(lookupffn::check(LFFN_OK));
  EXPECT_THROW(lookupffn::check(LFFN_ERROR_INVALID_ARGUMENT), lookupffn::InvalidArgument);
  EXPECT_THROW(lookupffn::check(LFFN_ERROR_OUT_OF_MEMORY), lookupffn::OutOfMemory);
  EXPECT_THROW(lookupffn::check(LFFN_ERROR_IO), lookupffn::IoError);
  EXPECT_THROW(lookupffn::check(LFFN_ERROR_BAD_MODEL), lookupffn::BadModel);
  EXPECT_THROW(lookupffn::check(LFFN_ERROR_UNSUPPORTED), lookupffn::Unsupported);
  EXPECT_THROW(lookupffn::check(LFFN_ERROR_CANCELLED), lookupffn::Cancelled);
  EXPECT_THROW(lookupffn::check(LFFN_ERROR_INTERNAL), lookupffn::InternalError);
  try {
    lookupffn::check(1000);
    FAIL() << "a status of a later version is an error too";
  } catch (const lookupffn::Error& error) {
    EXPECT_EQ(error.status(), 1000);
  }
}

TEST(Hpp, WhatIsWrongIsSaid) {
  try {
    Layer::load("no/such/file.safetensors");
    FAIL() << "there is no such file";
  } catch (const lookupffn::IoError& error) {
    EXPECT_EQ(error.status(), LFFN_ERROR_IO);
    EXPECT_NE(std::string(error.what()).find("no/such/file.safetensors"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Layer::load_memory(std::string("no model")), lookupffn::BadModel);
}

TEST(Hpp, OptionsHaveTheirDefaults) {
  const LoadOptions options;
  EXPECT_EQ(options.struct_size, sizeof(lffn_load_options));
  EXPECT_EQ(options.table_dtype, LFFN_DTYPE_AS_STORED);
  LoadOptions one_thread;
  one_thread.num_threads = 1;
  EXPECT_EQ(Layer::create(small_config(), {}, one_thread).info().num_threads, 1);
}

TEST(Model, GivesWhatTheCInterfaceGives) {
  auto model = lookupffn::Model::load(LFFN_MODEL_DATA "/model-mixed");
  const lookupffn::ModelInfo info = model.info();
  const std::vector<std::int32_t> ids = {0, 5, 6, 2, 0, 7, 2};
  const std::vector<std::int64_t> offsets = {0, 4, 7}, positions = {2};
  const lookupffn::Sequences sequences = {ids, offsets};
  std::vector<float> expected(ids.size() * static_cast<std::size_t>(info.hidden_size));
  ASSERT_EQ(short_calls::encode(model.get(), ids.data(), offsets.data(), 2, expected.data()), LFFN_OK);
  EXPECT_EQ(model.encode(sequences), expected);
  EXPECT_EQ(model.logits(sequences, positions).size(), static_cast<std::size_t>(info.vocab_size));
  EXPECT_EQ(model.classify(sequences).size(), 6u);
  EXPECT_TRUE(model.classify({{}, std::vector<std::int64_t>{0}}).empty());
  EXPECT_EQ(model.embed(sequences).size(), 2 * static_cast<std::size_t>(info.hidden_size));
  lookupffn::CancelFlag cancel;
  cancel.cancel();
  lookupffn::RunOptions cancelled;
  cancelled.cancel = &cancel;
  EXPECT_THROW(model.encode(sequences, cancelled), lookupffn::Cancelled);
  EXPECT_THROW(model.encode({ids, positions}), lookupffn::InvalidArgument);
  EXPECT_THROW(model.logits(sequences, offsets), lookupffn::InvalidArgument);
  EXPECT_THROW(lookupffn::Model::load("no such model"), lookupffn::IoError);
  EXPECT_THROW(lookupffn::Model::load_memory(std::string("x")), lookupffn::BadModel);
  lookupffn::Model moved = std::move(model);
  EXPECT_EQ(moved.encode(sequences), expected);
  EXPECT_THROW(model.info(), lookupffn::InvalidArgument);  // NOLINT(bugprone-use-after-move)
}

#ifdef LFFN_COUNTS_ALLOCATIONS
TEST(Hpp, ForwardAllocatesNothing) {
  const Layer layer = Layer::create(small_config());
  const std::vector<float> x(5 * kHidden, 1.0f);
  std::vector<float> y(5 * kOutput);
  layer.forward(x, y);  // takes scratch memory, which the layer keeps
  const long before = allocations;
  for (int call = 0; call < 10; ++call) layer.forward(x, y);
  EXPECT_EQ(layer.try_forward(x, y), LFFN_OK);
  EXPECT_EQ(allocations, before);
}
#endif

TEST(Hpp, TryFormsGiveStatusAndValue) {
  const lookupffn::Outcome<Layer> made = Layer::try_create(small_config());
  EXPECT_TRUE(made);
  EXPECT_EQ(made.value.info().hidden_size, kHidden);
  LayerConfig wrong = small_config();
  wrong.num_tables = -1;
  EXPECT_EQ(Layer::try_create(wrong).status, LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Layer::try_load("/nowhere").status, LFFN_ERROR_IO);
  const std::string nothing;
  EXPECT_EQ(Layer::try_load_memory(nothing).status, LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lookupffn::Model::try_load_memory(nothing).status, LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lookupffn::Model::try_load_files({}).status, LFFN_ERROR_IO);
  EXPECT_EQ(lookupffn::Tokenizer::try_load("/nowhere").status, LFFN_ERROR_IO);
  const lookupffn::Outcome<lookupffn::Model> model = lookupffn::Model::try_load(LFFN_MODEL_DATA "/model-lookup");
  ASSERT_TRUE(model);
  const lookupffn::RunOptions options;
  lffn_model_run_args args = lookupffn::Model::arguments(options);
  args.n = -1;
  EXPECT_EQ(model.value.try_run(args), LFFN_ERROR_INVALID_ARGUMENT);
  args.n = 0;
  EXPECT_EQ(model.value.try_run(args), LFFN_OK);
}

TEST(Hpp, TryCallIsTheTryFormOfAnything) {
  const lookupffn::Model model = lookupffn::Model::load(LFFN_MODEL_DATA "/model-lookup");
  const auto vectors = lookupffn::try_call([&] { return model.embed({"a text"}); });
  ASSERT_TRUE(vectors);
  EXPECT_EQ(*vectors.value, model.embed({"a text"}));
  EXPECT_EQ(vectors.status(), LFFN_OK);
  const auto refused = lookupffn::try_call([&] { return model.prompt("query"); });
  EXPECT_FALSE(refused);
  EXPECT_EQ(refused.status(), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(refused.error->what(), "there is no prompt 'query'; the model has none");
  EXPECT_EQ(lookupffn::try_call([]() -> int { throw std::bad_alloc(); }).status(), LFFN_ERROR_OUT_OF_MEMORY);
  EXPECT_THROW((void)lookupffn::try_call([]() -> int { throw 1; }), int);
}

// All handles are of one kind: empty ones, moved, taken over and given up.
template <typename Handle>
void check_handle() {
  static_assert(std::is_nothrow_move_constructible_v<Handle> && std::is_nothrow_move_assignable_v<Handle>);
  static_assert(!std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>);
  static_assert(std::is_nothrow_default_constructible_v<lookupffn::Outcome<Handle>>);
  const Handle none;
  EXPECT_EQ(none.get(), nullptr);
  EXPECT_EQ(Handle().release(), nullptr);
}

TEST(Hpp, HandlesOfAllKinds) {
  check_handle<Layer>();
  check_handle<lookupffn::Model>();
  check_handle<lookupffn::Tokenizer>();
  check_handle<lookupffn::Runtime>();
  EXPECT_THROW(lookupffn::Tokenizer().count("a"), lookupffn::InvalidArgument);
  lookupffn::Result first;
  const lffn_result* const handle = first.get();
  lookupffn::Result second(first.release());
  first = std::move(second);
  EXPECT_EQ(first.get(), handle);
}

TEST(Model, ScoresOfWholeTextsOnly) {
  const lookupffn::Model model = lookupffn::Model::load(LFFN_MODEL_DATA "/model-lookup");
  std::vector<float> scores(static_cast<std::size_t>(model.info().num_classes) + 1);
  EXPECT_THROW(model.activate(LFFN_SCORES_PROBABILITIES, scores), lookupffn::InvalidArgument);
  EXPECT_NE(model.config().find("\"hidden_size\""), std::string_view::npos);
}

}  // namespace
