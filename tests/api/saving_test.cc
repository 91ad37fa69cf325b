// SPDX-License-Identifier: Apache-2.0
// Saving and hashing that are watched and cancelled, files that the host reads, and the type of attention.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/support/model_told.h"

namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = LFFN_MODEL_DATA "/model-lookup";

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void tell(double done, void* user) { static_cast<std::vector<double>*>(user)->push_back(done); }

void expect_rising(const std::vector<double>& told) {
  ASSERT_GT(told.size(), 1u);
  for (size_t i = 1; i < told.size(); ++i) EXPECT_GE(told[i], told[i - 1]);
  EXPECT_EQ(told.back(), 1);
}

class Saving : public testing::Test {
 protected:
  void SetUp() override {
    file_ = testing::TempDir() + "/saving_test." + std::to_string(getpid());
    ASSERT_EQ(lffn_model_load(kFolder, nullptr, &model_), LFFN_OK) << lffn_last_error();
    lffn_layer_config config;
    lffn_layer_config_init(&config);
    config.hidden_size = 64;
    config.num_tables = 16;
    config.table_size = 64;
    ASSERT_EQ(lffn_layer_create(&config, nullptr, 0, nullptr, &layer_), LFFN_OK);
    lffn_save_options_init(&options_);
    options_.progress = tell;
    options_.progress_user = &told_;
  }
  void TearDown() override {
    fs::remove(file_);
    lffn_model_free(model_);
    lffn_layer_free(layer_);
    EXPECT_EQ(lffn_live_handles(), 0);
  }

  std::string file_;
  lffn_model* model_ = nullptr;
  lffn_layer* layer_ = nullptr;
  lffn_save_options options_;
  std::vector<double> told_;
};

TEST_F(Saving, TellsHowFarItHasComeAndWritesTheSame) {
  ASSERT_EQ(lffn_model_save(model_, file_.c_str(), nullptr), LFFN_OK) << lffn_last_error();
  const std::string plain = content_of(file_);
  ASSERT_EQ(lffn_model_save(model_, file_.c_str(), &options_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(content_of(file_), plain);
  expect_rising(told_);
  ASSERT_EQ(lffn_model_save(model_, file_.c_str(), nullptr), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(content_of(file_), plain);
  told_.clear();
  ASSERT_EQ(lffn_layer_save(layer_, file_.c_str(), &options_), LFFN_OK) << lffn_last_error();
  expect_rising(told_);
}

TEST_F(Saving, CancelledLeavesTheOldFile) {
  std::ofstream(file_) << "old";
  int32_t cancel = 0;
  lffn_cancel(&cancel, 1);
  options_.cancel = &cancel;
  EXPECT_EQ(lffn_model_save(model_, file_.c_str(), &options_), LFFN_ERROR_CANCELLED);
  EXPECT_EQ(lffn_layer_save(layer_, file_.c_str(), &options_), LFFN_ERROR_CANCELLED);
  EXPECT_EQ(content_of(file_), "old");
  for (const auto& entry : fs::directory_iterator(fs::path(file_).parent_path())) {
    const std::string name = entry.path().filename().string(), own = fs::path(file_).filename().string();
    EXPECT_TRUE(name == own || name.find(own) == std::string::npos) << name;
  }
  EXPECT_EQ(lffn_model_save(nullptr, file_.c_str(), nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_model_save(model_, nullptr, nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_layer_save(nullptr, file_.c_str(), nullptr), LFFN_ERROR_INVALID_ARGUMENT);
  options_.struct_size = 3;
  EXPECT_EQ(lffn_model_save(model_, file_.c_str(), &options_), LFFN_ERROR_INVALID_ARGUMENT);
}

TEST_F(Saving, HashesWithStridesProgressAndCancel) {
  constexpr int64_t kTokens = 20000, kStride = 70, kEntries = 16;
  std::vector<float> x(kTokens * 64), wide(kTokens * kStride, 9);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 911) / 911 - 0.5f;
  for (size_t t = 0; t < kTokens; ++t) std::memcpy(&wide[t * kStride], &x[t * 64], 64 * sizeof(float));
  std::vector<int32_t> codes(kTokens * kEntries), again(codes.size(), -1);
  std::vector<float> scores(codes.size()), scores_again(codes.size());
  ASSERT_EQ(lffn_layer_hash(layer_, x.data(), kTokens, codes.data(), scores.data()), LFFN_OK) << lffn_last_error();
  std::vector<int64_t> told;
  lffn_layer_run_hash_args args;
  lffn_layer_run_hash_args_init(&args);
  args.x = wide.data();
  args.x_stride = kStride;
  args.n_tokens = kTokens;
  args.codes = again.data();
  args.scores = scores_again.data();
  args.progress = [](int64_t done, int64_t n, void* user) {
    EXPECT_EQ(n, int64_t{20000});
    static_cast<std::vector<int64_t>*>(user)->push_back(done);
  };
  args.progress_user = &told;
  ASSERT_EQ(lffn_layer_run_hash(layer_, &args), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(again, codes);
  EXPECT_EQ(scores_again, scores);
  ASSERT_GT(told.size(), 1u);
  EXPECT_EQ(told.back(), kTokens);
  int32_t cancel = 1;
  args.cancel = &cancel;
  EXPECT_EQ(lffn_layer_run_hash(layer_, &args), LFFN_ERROR_CANCELLED);
  args.cancel = nullptr;
  args.x_stride = 63;
  EXPECT_EQ(lffn_layer_run_hash(layer_, &args), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_layer_run_hash(nullptr, &args), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_layer_run_hash(layer_, nullptr), LFFN_ERROR_INVALID_ARGUMENT);
}

// Files behind a function, as of an archive.
struct Archive {
  std::map<std::string, std::string> files;
  struct Entry {
    const std::string* content;
    int calls = 0;
    int32_t failure = 0;
  };
  std::map<std::string, Entry> entries;

  Archive() {
    for (const auto& entry : fs::recursive_directory_iterator(kFolder)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = fs::relative(entry.path(), kFolder).generic_string();
      files[name] = content_of(entry.path());
    }
    for (const auto& [name, content] : files) entries[name] = {&content};
  }
  static int32_t read(uint64_t first, size_t size, void* to, void* user) {
    Entry& entry = *static_cast<Entry*>(user);
    EXPECT_LE(first + size, entry.content->size());
    ++entry.calls;
    std::memcpy(to, entry.content->data() + first, size);
    return entry.failure;
  }
  std::vector<lffn_file> list() {
    std::vector<lffn_file> result;
    for (auto& [name, entry] : entries) {
      lffn_file file;
      lffn_file_init(&file);
      file.name = name.c_str();
      file.size = entry.content->size();
      file.read = read;
      file.read_user = &entry;
      result.push_back(file);
    }
    return result;
  }
};

TEST_F(Saving, FilesThatTheHostReads) {
  Archive archive;
  std::vector<lffn_file> files = archive.list();
  const auto count = static_cast<int64_t>(files.size());
  lffn_model* read = nullptr;
  ASSERT_EQ(lffn_model_load_files(files.data(), count, nullptr, &read), LFFN_OK) << lffn_last_error();
  const char* text = "a text";
  model_told::Info info = {};
  ASSERT_EQ(model_told::get(model_, info), LFFN_OK);
  std::vector<float> expected(static_cast<size_t>(info.embedding_size)), got(expected.size());
  ASSERT_EQ(lffn_model_embed_texts(model_, &text, nullptr, 1, 0, expected.data(), info.embedding_size), LFFN_OK);
  ASSERT_EQ(lffn_model_embed_texts(read, &text, nullptr, 1, 0, got.data(), info.embedding_size), LFFN_OK);
  EXPECT_EQ(got, expected);
  lffn_model_free(read);
  lffn_memory_estimate estimate;
  lffn_memory_estimate_init(&estimate);
  EXPECT_EQ(lffn_model_estimate_files(files.data(), count, nullptr, &estimate), LFFN_OK) << lffn_last_error();
  lffn_tokenizer* tokenizer = nullptr;
  EXPECT_EQ(lffn_tokenizer_load_files(files.data(), count, nullptr, &tokenizer), LFFN_OK) << lffn_last_error();
  lffn_tokenizer_free(tokenizer);

  archive.entries["model.safetensors"].failure = 7;
  read = nullptr;
  EXPECT_EQ(lffn_model_load_files(files.data(), count, nullptr, &read), LFFN_ERROR_IO);
  EXPECT_NE(std::string(lffn_last_error()).find("'model.safetensors': the host's read function returned 7"),
            std::string::npos)
      << lffn_last_error();
  files[0].data = text;
  EXPECT_EQ(lffn_model_load_files(files.data(), count, nullptr, &read), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("data and read are given"), std::string::npos) << lffn_last_error();
  files[0].read = nullptr;
  files[0].data = nullptr;
  EXPECT_EQ(lffn_model_load_files(files.data(), count, nullptr, &read), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(read, nullptr);
}

TEST_F(Saving, TheTypeOfAttention) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  model_told::Info info = {};
  for (const int32_t type : {LFFN_DTYPE_AS_STORED, LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
    options.attention_dtype = type;
    lffn_model* model = nullptr;
    ASSERT_EQ(lffn_model_load(kFolder, &options, &model), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(model_told::get(model, info), LFFN_OK);
    EXPECT_EQ(info.attention_dtype, type == LFFN_DTYPE_INT8 ? LFFN_DTYPE_INT8 : LFFN_DTYPE_F32);
    EXPECT_GT(info.tokenizer_bytes, 0u);
    lffn_model_free(model);
  }
  options.linear_dtype = LFFN_DTYPE_INT8;
  options.attention_dtype = LFFN_DTYPE_AS_STORED;
  lffn_model* model = nullptr;
  ASSERT_EQ(lffn_model_load(kFolder, &options, &model), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(model_told::get(model, info), LFFN_OK);
  EXPECT_EQ(info.attention_dtype, LFFN_DTYPE_INT8);
  lffn_model_free(model);
  options.attention_dtype = LFFN_DTYPE_BF16;
  model = nullptr;
  EXPECT_EQ(lffn_model_load(kFolder, &options, &model), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("options.attention_dtype is 2"), std::string::npos)
      << lffn_last_error();
}

// Distances that add to scores have no int8 form: the error names this, before anything is loaded.
TEST_F(Saving, AttentionInWholeNumbersIsRefusedWhereDistancesAddToScores) {
  lffn_load_options options;
  lffn_load_options_init(&options);
  lffn_memory_estimate estimate;
  lffn_memory_estimate_init(&estimate);
  model_told::Info info = {};
  for (const auto& [name, family] : {std::pair("mpnet-mlm", "mpnet"), std::pair("deberta-v2-mlm", "deberta-v2"),
                                     std::pair("deberta-v2-keys-alone", "deberta-v2")}) {
    const std::string folder = std::string(LFFN_SMALL_FOLDERS "/") + name;
    const auto expect_refusal = [named = std::string("in the family ") + family, &folder](lffn_status status) {
      EXPECT_EQ(status, LFFN_ERROR_UNSUPPORTED) << folder;
      const std::string message = lffn_last_error();
      EXPECT_NE(message.find("options.attention_dtype is LFFN_DTYPE_INT8"), std::string::npos) << message;
      EXPECT_NE(message.find(named), std::string::npos) << message;
      EXPECT_NE(message.find("LFFN_DTYPE_AS_STORED"), std::string::npos) << message;
    };
    for (const int32_t linear : {LFFN_DTYPE_AS_STORED, LFFN_DTYPE_INT8}) {
      options.linear_dtype = linear;
      options.attention_dtype = LFFN_DTYPE_INT8;
      lffn_model* model = nullptr;
      expect_refusal(lffn_model_load(folder.c_str(), &options, &model));
      EXPECT_EQ(model, nullptr);
      expect_refusal(lffn_model_estimate(folder.c_str(), &options, &estimate));
      for (const int32_t attention : {LFFN_DTYPE_AS_STORED, LFFN_DTYPE_F32}) {
        options.attention_dtype = attention;
        EXPECT_EQ(lffn_model_estimate(folder.c_str(), &options, &estimate), LFFN_OK) << lffn_last_error();
        ASSERT_EQ(lffn_model_load(folder.c_str(), &options, &model), LFFN_OK) << lffn_last_error();
        ASSERT_EQ(model_told::get(model, info), LFFN_OK);
        EXPECT_EQ(info.attention_dtype, LFFN_DTYPE_F32) << name;
        lffn_model_free(model);
        model = nullptr;
      }
    }
  }
}

}  // namespace
