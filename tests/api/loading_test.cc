// SPDX-License-Identifier: Apache-2.0
// Loading that is watched and cancelled, from a folder, a file, and memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "format/safetensors.h"
#include "format/utf8.h"
#include "lookupffn/lookupffn.h"
#include "tests/support/torch_maker.h"

namespace {

constexpr char kFolder[] = LFFN_MODEL_DATA "/model-lookup";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The folder's weights as PyTorch's file.
std::string torch_file() {
  using namespace torch_maker;
  const std::string file = content_of(kFolder + std::string("/model.safetensors"));
  std::string items;
  Entries entries = {{"a/data.pkl", ""}};
  for (const lffn::TensorView& tensor : lffn::parse_safetensors(file.data(), file.size()).tensors) {
    const std::string key = std::to_string(entries.size() - 1);
    std::string shape, strides;
    int64_t stride = 1;
    for (size_t i = tensor.shape.size(); i-- > 0; stride *= tensor.shape[i]) {
      shape = "J" + number(static_cast<uint64_t>(tensor.shape[i]), 4) + shape;
      strides = "J" + number(static_cast<uint64_t>(stride), 4) + strides;
    }
    EXPECT_EQ(tensor.dtype, lffn::DType::kF32);
    items += text(tensor.name) + torch_maker::tensor(storage("FloatStorage", key), 0, shape, strides);
    entries.emplace_back("a/data/" + key, std::string(reinterpret_cast<const char*>(tensor.data), tensor.size));
  }
  entries[0].second = dict(items);
  return zip_of(entries);
}

// All ways to load a handle, as one call.
class Loading : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    // Each test may be a process of its own, beside the others.
    const std::string own = testing::TempDir() + "/loading_test." + std::to_string(getpid());
    saved_ = own + ".model";
    layer_ = own + ".layer";
    lffn_model* model = nullptr;
    ASSERT_EQ(lffn_model_load(kFolder, nullptr, &model), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(lffn_model_save(model, saved_.c_str(), nullptr), LFFN_OK) << lffn_last_error();
    lffn_model_free(model);
    lffn_layer_config config;
    lffn_layer_config_init(&config);
    config.hidden_size = 64;
    config.num_tables = 16;
    config.table_size = 64;
    lffn_layer* layer = nullptr;
    ASSERT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer), LFFN_OK);
    ASSERT_EQ(lffn_layer_save(layer, layer_.c_str(), nullptr), LFFN_OK);
    lffn_layer_free(layer);
  }
  static void TearDownTestSuite() {
    std::filesystem::remove(saved_);
    std::filesystem::remove(layer_);
  }
  void TearDown() override { EXPECT_EQ(lffn_live_handles(), 0); }

  lffn_status load(const lffn_load_options& options) const {
    lffn_model* model = nullptr;
    lffn_layer* layer = nullptr;
    lffn_status status = LFFN_OK;
    if (GetParam() == "folder") status = lffn_model_load(kFolder, &options, &model);
    if (GetParam() == "file") status = lffn_model_load(saved_.c_str(), &options, &model);
    if (GetParam() == "bytes") {
      const std::string bytes = content_of(saved_);
      status = lffn_model_load_memory(bytes.data(), bytes.size(), &options, &model);
    }
    if (GetParam() == "files" || GetParam() == "torch") {
      const bool torch = GetParam() == "torch";
      const std::string names[] = {"config.json", torch ? "pytorch_model.bin" : "model.safetensors", "vocab.json",
                                   "merges.txt"};
      std::vector<std::string> contents;
      std::vector<lffn_file> files;
      for (const std::string& name : names) {
        contents.push_back(name == "pytorch_model.bin" ? torch_file() : content_of(kFolder + ("/" + name)));
      }
      for (size_t i = 0; i < contents.size(); ++i) {
        files.push_back(
            {sizeof(lffn_file), names[i].c_str(), contents[i].data(), contents[i].size(), nullptr, nullptr});
      }
      status = lffn_model_load_files(files.data(), static_cast<int64_t>(files.size()), &options, &model);
    }
    if (GetParam() == "layer") status = lffn_layer_load(layer_.c_str(), &options, &layer);
    EXPECT_EQ(model != nullptr || layer != nullptr, status == LFFN_OK);
    lffn_model_free(model);
    lffn_layer_free(layer);
    return status;
  }

  static std::string saved_, layer_;
};
std::string Loading::saved_, Loading::layer_;

TEST_P(Loading, TellsItsProgress) {
  std::vector<double> told;
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.progress = [](double done, void* user) { static_cast<std::vector<double>*>(user)->push_back(done); };
  options.progress_user = &told;
  ASSERT_EQ(load(options), LFFN_OK) << lffn_last_error();
  ASSERT_GT(told.size(), 10u);
  EXPECT_LE(told.size(), 110u);
  EXPECT_GE(told.front(), 0);
  EXPECT_LT(told.front(), 0.5);
  for (size_t i = 1; i < told.size(); ++i) EXPECT_GT(told[i], told[i - 1]);
  EXPECT_EQ(told.back(), 1);
}

TEST_P(Loading, EndsWhenItIsCancelled) {
  struct Host {
    double until;
    int32_t cancel = 0;
  };
  for (const double until : {-1.0, 0.2, 0.7}) {
    Host host = {until};
    lffn_load_options options;
    lffn_load_options_init(&options);
    options.cancel = &host.cancel;
    options.progress = [](double done, void* user) {
      EXPECT_LT(done, 0.9) << "long after it was cancelled";
      if (done >= static_cast<Host*>(user)->until) static_cast<Host*>(user)->cancel = 1;
    };
    options.progress_user = &host;
    if (until < 0) host.cancel = 1;
    EXPECT_EQ(load(options), LFFN_ERROR_CANCELLED);
    EXPECT_STREQ(lffn_last_error(), "cancelled by the caller's flag");
  }
}

TEST_P(Loading, GoesOnWhereNobodyCancels) {
  const int32_t cancel = 0;
  lffn_load_options options;
  lffn_load_options_init(&options);
  options.cancel = &cancel;
  EXPECT_EQ(load(options), LFFN_OK) << lffn_last_error();
}

INSTANTIATE_TEST_SUITE_P(All, Loading, testing::Values("folder", "file", "bytes", "files", "torch", "layer"),
                         [](const auto& info) { return info.param; });

TEST(LoadingFails, InUtf8ForAnyPath) {
  const std::string path = testing::TempDir() + "/loading_test." + std::to_string(getpid()) + ".\xff\xc3.json";
  std::ofstream(path) << "{\"";
  lffn_layer* layer = nullptr;
  lffn_model* model = nullptr;
  lffn_tokenizer* tokenizer = nullptr;
  const auto told = [&](lffn_status status) {
    EXPECT_EQ(status, LFFN_ERROR_BAD_MODEL);
    const std::string text = lffn_last_error();
    EXPECT_EQ(lffn::valid_utf8_length(text), text.size()) << text;
    EXPECT_NE(text.find(".\?\?.json: "), std::string::npos) << text;
  };
  told(lffn_layer_load(path.c_str(), nullptr, &layer));
  told(lffn_model_load(path.c_str(), nullptr, &model));
  told(lffn_tokenizer_load(path.c_str(), nullptr, &tokenizer));
  std::filesystem::remove(path);
}

// Reading text ends, too: before it begins, and within a long one.
TEST(Cancelling, TokenizingObeysTheFlag) {
  lffn_model* model = nullptr;
  ASSERT_EQ(lffn_model_load(kFolder, nullptr, &model), LFFN_OK) << lffn_last_error();
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_model_tokenizer(model, &tokenizer), LFFN_OK);
  const std::string text(size_t{1} << 20, 'a');
  const char* const texts[1] = {text.c_str()};
  const int32_t cancel = 1;
  lffn_tokenizer_encode_args tokenize;
  lffn_tokenizer_encode_args_init(&tokenize);
  tokenize.n = 1;
  tokenize.texts = texts;
  tokenize.cancel = &cancel;
  EXPECT_EQ(lffn_tokenizer_encode(tokenizer, &tokenize), LFFN_ERROR_CANCELLED);
  lffn_model_run_args run;
  lffn_model_run_args_init(&run);
  std::vector<float> embedding(4096);
  run.texts = texts;
  run.n = 1;
  run.max_tokens = LFFN_MAX_TOKENS_MODEL;
  const lffn_output output = {LFFN_OUT_EMBEDDINGS, 0, embedding.data(), static_cast<int64_t>(embedding.size())};
  run.outputs = &output;
  run.n_outputs = 1;
  run.cancel = &cancel;
  EXPECT_EQ(lffn_model_run(model, &run), LFFN_ERROR_CANCELLED);
  lffn_tokenizer_free(tokenizer);
  lffn_model_free(model);
}

}  // namespace
