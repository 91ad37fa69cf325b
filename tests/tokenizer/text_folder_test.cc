// SPDX-License-Identifier: Apache-2.0
// What loading makes of a folder with a tokenizer, half of one, a bad one or none.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "tests/support/model_told.h"
#include "tests/support/outputs.h"
#include "tests/support/short_calls.h"

namespace {

namespace fs = std::filesystem;

// A copy of a golden model's folder that a test may spoil.
class TextFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lffn-text-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    for (const char* file : {"config.json", "model.safetensors", "vocab.json", "merges.txt"}) {
      fs::copy_file(fs::path(LFFN_MODEL_DATA) / "model-mixed" / file, folder_ / file);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const char* file, const std::string& content) { std::ofstream(folder_ / file) << content; }
  lffn_status load() {
    lffn_model_free(model_);
    model_ = nullptr;
    return lffn_model_load(folder_.c_str(), nullptr, &model_);
  }

  fs::path folder_;
  lffn_model* model_ = nullptr;
};

TEST_F(TextFolder, OfASavedModelInAFolder) {
  ASSERT_EQ(load(), LFFN_OK) << lffn_last_error();
  const fs::path inner = folder_ / "saved";
  fs::create_directory(inner);
  ASSERT_EQ(lffn_model_save(model_, (inner / "model.safetensors").c_str(), nullptr), LFFN_OK) << lffn_last_error();
  lffn_tokenizer* tokenizer = nullptr;
  ASSERT_EQ(lffn_tokenizer_load(inner.c_str(), nullptr, &tokenizer), LFFN_OK) << lffn_last_error();
  lffn_tokenizer_info info, expected;
  lffn_tokenizer_info_init(&info);
  lffn_tokenizer_info_init(&expected);
  ASSERT_EQ(lffn_tokenizer_get_info(tokenizer, &info), LFFN_OK);
  lffn_tokenizer_free(tokenizer);
  ASSERT_EQ(lffn_tokenizer_load(folder_.c_str(), nullptr, &tokenizer), LFFN_OK) << lffn_last_error();
  ASSERT_EQ(lffn_tokenizer_get_info(tokenizer, &expected), LFFN_OK);
  EXPECT_EQ(info.vocab_size, expected.vocab_size);
  EXPECT_EQ(info.mask_id, expected.mask_id);
  lffn_tokenizer_free(tokenizer);
  lffn_model_free(model_);
}

TEST_F(TextFolder, ATokenizersLoadingHeedsItsOptions) {
  std::vector<double> told;
  int32_t cancel = 0;
  lookupffn::LoadOptions options;
  options.cancel = &cancel;
  options.progress_user = &told;
  options.progress = [](double done, void* user) { static_cast<std::vector<double>*>(user)->push_back(done); };
  const auto content = [&](const char* name) {
    std::ifstream file(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string vocabulary = content("vocab.json"), merges = content("merges.txt");
  const std::vector<lffn_file> files = {
      {sizeof(lffn_file), "vocab.json", vocabulary.data(), vocabulary.size(), nullptr, nullptr},
      {sizeof(lffn_file), "merges.txt", merges.data(), merges.size(), nullptr, nullptr}};
  const lookupffn::Tokenizer from_disk = lookupffn::Tokenizer::load(folder_.string(), options);
  const lookupffn::Tokenizer from_memory =
      lookupffn::Tokenizer::load_files(lookupffn::Span<const lffn_file>(files.data(), files.size()), options);
  EXPECT_EQ(from_disk.encode("a few words").ids, from_memory.encode("a few words").ids);
  EXPECT_EQ(told, (std::vector<double>{1, 1}));
  cancel = 1;
  EXPECT_EQ(lookupffn::Tokenizer::try_load(folder_.string(), options).status, LFFN_ERROR_CANCELLED);
  EXPECT_EQ(lookupffn::Tokenizer::try_load_files({files.data(), files.size()}, options).status, LFFN_ERROR_CANCELLED);
  cancel = 0;
  options.num_threads = -1;
  EXPECT_EQ(lookupffn::Tokenizer::try_load(folder_.string(), options).status, LFFN_ERROR_INVALID_ARGUMENT);
}

// A tokenizer's file tells nothing of poolings, and needs none.
TEST_F(TextFolder, ATokenizerNeedsNoKnownModules) {
  write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
                            {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  EXPECT_NE(load(), LFFN_OK) << "there is no 1_Pooling";
  EXPECT_NO_THROW(lookupffn::Tokenizer::load(folder_.string()));
  fs::create_directory(folder_ / "1_Pooling");
  write("1_Pooling/config.json", R"({"pooling_mode": "by telepathy"})");
  EXPECT_NE(load(), LFFN_OK);
  EXPECT_NO_THROW(lookupffn::Tokenizer::load(folder_.string()));
}

// How a text is read is the model's business, not that of what is asked for.
TEST_F(TextFolder, ATextIsReadAlikeWhateverIsWanted) {
  write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
                            {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  fs::create_directory(folder_ / "1_Pooling");
  write("1_Pooling/config.json", "{}");
  write("sentence_bert_config.json", R"({"max_seq_length": 40, "do_lower_case": true})");
  write("config_sentence_transformers.json", R"({"prompts": {"query": "find "}, "default_prompt_name": "query"})");
  ASSERT_EQ(load(), LFFN_OK) << lffn_last_error();
  lffn_result* result = nullptr;
  ASSERT_EQ(lffn_result_create(&result), LFFN_OK);
  const char* text = " A Cat ";
  const auto ids = [&](uint32_t wanted, int32_t reading) {
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.texts = &text;
    args.n = 1;
    args.reading = reading;
    args.result = result;
    outputs::keep(args, wanted | outputs::kIds);
    EXPECT_EQ(lffn_model_run(model_, &args), LFFN_OK) << lffn_last_error();
    const outputs::View view(result);
    return std::vector<int32_t>(view.ids, view.ids + view.n_tokens);
  };
  const lookupffn::Tokenizer tokenizer = lookupffn::Tokenizer::load(folder_.string());
  const std::vector<int32_t> expected = tokenizer.encode("find  a cat").ids, plain = tokenizer.encode(text).ids;
  ASSERT_NE(expected, plain);
  for (const uint32_t wanted : {outputs::kEmbeddings, outputs::kHidden, outputs::kIds}) {
    EXPECT_EQ(ids(wanted, LFFN_READING_MODEL), expected) << wanted;
    EXPECT_EQ(ids(wanted, LFFN_READING_PLAIN), plain) << wanted;
  }
  lffn_tokenizer* of_model = nullptr;
  ASSERT_EQ(lffn_model_tokenizer(model_, &of_model), LFFN_OK);
  lffn_tokenizer_info info;
  lffn_tokenizer_info_init(&info);
  ASSERT_EQ(lffn_tokenizer_get_info(of_model, &info), LFFN_OK);
  EXPECT_EQ(info.own_max_tokens, 40) << "as the model's files say";
  lookupffn::TokenizeOptions cutting;
  cutting.max_tokens = LFFN_MAX_TOKENS_MODEL;
  EXPECT_EQ(lookupffn::Tokenizer(of_model).encode(std::string(90, 'z'), cutting).ids.size(), 40u);
  lffn_result_free(result);
  lffn_model_free(model_);
}

TEST_F(TextFolder, NeedsNoTokenizer) {
  fs::remove(folder_ / "vocab.json");
  fs::remove(folder_ / "merges.txt");
  ASSERT_EQ(load(), LFFN_OK);
  model_told::Info info = {};
  ASSERT_EQ(model_told::get(model_, info), LFFN_OK);
  EXPECT_EQ(info.has_tokenizer, 0);
  lffn_tokenizer* tokenizer = nullptr;
  EXPECT_EQ(lffn_model_tokenizer(model_, &tokenizer), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "this model has no tokenizer");
  lffn_model_free(model_);
}

TEST_F(TextFolder, RefusesHalfAndBadTokenizers) {
  fs::remove(folder_ / "merges.txt");
  EXPECT_EQ(load(), LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lffn_last_error(), folder_.string() + ": merges.txt is missing beside vocab.json");
  write("merges.txt", "a\n");
  EXPECT_EQ(load(), LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lffn_last_error(),
            folder_.string() + ": merges.txt: line 1: 'a' is not two symbols with a space between them");
  fs::remove(folder_ / "vocab.json");
  write("tokenizer.json", "{}");
  EXPECT_EQ(load(), LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lffn_last_error(), folder_.string() + ": tokenizer.json: '/model/vocab' is missing");
  fs::remove(folder_ / "tokenizer.json");
  write("vocab.json", R"({"<s>": 0, "</s>": 1, "<unk>": 412})");
  write("merges.txt", "");
  EXPECT_EQ(load(), LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lffn_last_error(), folder_.string() + ": the tokenizer has the id 412, but vocab_size is 411");
  EXPECT_EQ(model_, nullptr);
}

TEST_F(TextFolder, OfATextThatMayBeATokenizer) {
  const std::string path = (folder_ / "any.json").string();
  for (const char* text : {"{}", " {\"model\": {}}", "\n{\n}\n"}) {
    write("any.json", text);
    EXPECT_EQ(lookupffn::Tokenizer::try_load(path, {}).status, LFFN_ERROR_BAD_MODEL);
    EXPECT_EQ(lffn_last_error(), path + ": tokenizer.json: '/model/vocab' is missing") << text;
  }
  write("any.json", "");
  EXPECT_EQ(lookupffn::Tokenizer::try_load(path, {}).status, LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lffn_last_error(), path + ": tokenizer.json: byte 0 is not valid JSON: it is empty");
}

// Bytes are counted in what the caller gave, not behind the prompt.
TEST_F(TextFolder, NamesTheTextThatIsNotUtf8) {
  ASSERT_EQ(load(), LFFN_OK) << lffn_last_error();
  const char *text = "ab", *pair = "abc", *prompt = "query: ";
  std::vector<float> out(1024);
  const auto failure = [&]() -> std::string {
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.texts = &text;
    args.pairs = &pair;
    args.n = 1;
    args.prompt_kind = LFFN_PROMPT_TEXT;
    args.prompt = prompt;
    const lffn_status status = short_calls::run(model_, args, LFFN_OUT_EMBEDDINGS, out.data(), 1024);
    EXPECT_TRUE(status == LFFN_OK || status == LFFN_ERROR_BAD_TEXT);
    return status == LFFN_OK ? "" : lffn_last_error();
  };
  EXPECT_EQ(failure(), "");
  text = "\xff";
  EXPECT_EQ(failure(), "texts[0]: byte 0 of the text is not valid UTF-8");
  text = "ab";
  pair = "abc\xff";
  EXPECT_EQ(failure(), "texts[0]: byte 3 of the pair is not valid UTF-8");
  prompt = "query\xff";
  EXPECT_EQ(failure(), "byte 5 of the prompt is not valid UTF-8");
  lffn_model_free(model_);
}

TEST_F(TextFolder, NeedsAMaskToFill) {
  write("vocab.json", R"({"<s>": 0, "</s>": 1, "<unk>": 2})");
  ASSERT_EQ(load(), LFFN_OK) << lffn_last_error();
  int64_t count = 0;
  int32_t id = 0;
  EXPECT_EQ(short_calls::fill_mask(model_, "a", 1, 1, &id, nullptr, 1, &count), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "this model's vocabulary has no mask");
  lffn_model_free(model_);
}

}  // namespace
