// The functions on text against those on ids, with the golden models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"

namespace {

namespace fs = std::filesystem;
using Ids = std::vector<int32_t>;
using Floats = std::vector<float>;

const std::string kData = LFFN_MODEL_DATA;
constexpr uint32_t kSpecial = LFFN_TOKENIZE_SPECIAL;
constexpr uint32_t kTruncate = LFFN_TOKENIZE_TRUNCATE;

class Text : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(lffn_model_load((kData + "/model-lookup").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
    lffn_model_info_init(&info_);
    ASSERT_EQ(lffn_model_get_info(model_, &info_), LFFN_OK);
  }
  void TearDown() override { lffn_model_free(model_); }

  Ids tokenize(const lffn_model* model, const std::string& text, uint32_t flags) {
    size_t count = 0;
    EXPECT_EQ(lffn_model_tokenize(model, text.data(), text.size(), flags, nullptr, 0, &count), LFFN_OK);
    Ids ids(count + 1, -7);
    EXPECT_EQ(lffn_model_tokenize(model, text.data(), text.size(), flags, ids.data(), count, &count), LFFN_OK);
    EXPECT_EQ(ids.back(), -7);
    ids.pop_back();
    return ids;
  }
  Ids tokenize(const std::string& text, uint32_t flags) { return tokenize(model_, text, flags); }

  // Expects a refusal with this sentence.
  static void refused(lffn_status status, const std::string& message) {
    EXPECT_EQ(status, LFFN_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(lffn_last_error(), message);
  }

  lffn_model* model_ = nullptr;
  lffn_model_info info_ = {};
};

TEST_F(Text, KnowsItsTokenizer) {
  EXPECT_EQ(info_.has_tokenizer, 1);
  EXPECT_EQ(info_.bos_id, 0);
  EXPECT_EQ(info_.pad_id, 1);
  EXPECT_EQ(info_.eos_id, 2);
  EXPECT_EQ(info_.unk_id, 3);
  EXPECT_EQ(info_.mask_id, 4);
}

TEST_F(Text, GivesTheGoldenTokensAlsoFromASingleFile) {
  for (const std::string name : {"model-lookup", "model-mixed"}) {
    lffn_model* folder = nullptr;
    lffn_model* single = nullptr;
    const fs::path file = fs::temp_directory_path() / ("lffn-text-" + std::to_string(getpid()) + ".safetensors");
    ASSERT_EQ(lffn_model_load((kData + "/" + name).c_str(), nullptr, &folder), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(lffn_model_save(folder, file.c_str()), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(lffn_model_load(file.c_str(), nullptr, &single), LFFN_OK) << lffn_last_error();
    fs::remove(file);
    std::ifstream cases(kData + "/" + name + "/tokens.json");
    for (const auto& entry : nlohmann::json::parse(cases)) {
      const auto text = entry["text"].get<std::string>();
      for (const lffn_model* model : {folder, single}) {
        EXPECT_EQ(tokenize(model, text, 0), entry["ids"].get<Ids>()) << text;
        EXPECT_EQ(tokenize(model, text, kSpecial), entry["ids_with_special"].get<Ids>()) << text;
      }
    }
    lffn_model_free(folder);
    lffn_model_free(single);
  }
}

TEST_F(Text, WritesNoMoreThanThereIsRoomFor) {
  const std::string text = "two spaces";
  const Ids all = tokenize(text, kSpecial);
  ASSERT_GT(all.size(), 3u);
  Ids ids(all.size(), -7);
  size_t count = 0;
  ASSERT_EQ(lffn_model_tokenize(model_, text.data(), text.size(), kSpecial, ids.data(), 2, &count), LFFN_OK);
  EXPECT_EQ(count, all.size());
  EXPECT_TRUE(std::equal(ids.begin(), ids.begin() + 2, all.begin()));
  EXPECT_EQ(ids[2], -7);
}

TEST_F(Text, TruncatesToTheLongestSequence) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += " word";
  const auto longest = static_cast<size_t>(info_.max_tokens);
  EXPECT_EQ(tokenize(text, kTruncate).size(), longest);
  const Ids ids = tokenize(text, kSpecial | kTruncate);
  EXPECT_EQ(ids.size(), longest);
  EXPECT_EQ(ids.front(), info_.bos_id);
  EXPECT_EQ(ids.back(), info_.eos_id);
  EXPECT_GT(tokenize(text, kSpecial).size(), longest);
}

TEST_F(Text, TellsWhereTokensAre) {
  const std::string text = "na\u00efve <mask> x";
  std::vector<int64_t> begins(32, -7), ends(32, -7);
  Ids ids(32);
  size_t count = 0;
  ASSERT_EQ(lffn_model_tokenize_spans(model_, text.data(), text.size(), kSpecial, ids.data(), begins.data(),
                                      ends.data(), ids.size(), &count),
            LFFN_OK);
  ids.resize(count);
  EXPECT_EQ(ids, tokenize(text, kSpecial));
  for (const size_t special : {size_t{0}, count - 1}) {
    EXPECT_EQ(begins[special], 0);
    EXPECT_EQ(ends[special], 0);
  }
  for (size_t i = 1; i + 1 < count; ++i) {
    EXPECT_LE(begins[i], ends[i]) << i;
    EXPECT_GE(begins[i], begins[i - 1]) << i;
  }
  EXPECT_EQ(begins[count - 2], static_cast<int64_t>(text.size()) - 1);  // without the blank before it
  EXPECT_EQ(ends[count - 2], static_cast<int64_t>(text.size()));
  EXPECT_EQ(begins[count], -7);
  const auto mask = std::find(ids.begin(), ids.end(), info_.mask_id) - ids.begin();
  EXPECT_EQ(begins[static_cast<size_t>(mask)], 7);
  EXPECT_EQ(ends[static_cast<size_t>(mask)], 13);
  EXPECT_EQ(lffn_model_tokenize_spans(model_, text.data(), text.size(), 0, nullptr, nullptr, nullptr, 9, &count),
            LFFN_OK);
  EXPECT_EQ(count, ids.size() - 2);
}

TEST_F(Text, Detokenizes) {
  const std::string text = "caf\u00e9 \u65e5\u672c \U0001F600";
  const Ids ids = tokenize(text, kSpecial);
  std::string again(64, '#');
  size_t size = 0;
  ASSERT_EQ(lffn_model_detokenize(model_, ids.data(), ids.size(), LFFN_DETOKENIZE_SKIP_SPECIAL, again.data(),
                                  again.size(), &size),
            LFFN_OK);
  EXPECT_EQ(again.substr(0, size), text);
  EXPECT_EQ(again[size], '#');
  ASSERT_EQ(lffn_model_detokenize(model_, ids.data(), ids.size(), 0, nullptr, 0, &size), LFFN_OK);
  EXPECT_EQ(size, text.size() + 7);  // <s> and </s>
  again.assign(64, '#');
  ASSERT_EQ(lffn_model_detokenize(model_, ids.data(), ids.size(), 0, again.data(), 4, &size), LFFN_OK);
  EXPECT_EQ(again.substr(0, 5), "<s>c#");
  ASSERT_EQ(lffn_model_detokenize(model_, nullptr, 0, 0, nullptr, 0, &size), LFFN_OK);
  EXPECT_EQ(size, 0u);
}

TEST_F(Text, FillsMasks) {
  const std::string text = "Freedom is <mask> word that <mask> uses.";
  const auto vocabulary = static_cast<size_t>(info_.vocab_size);
  const Ids ids = tokenize(text, kSpecial);
  std::vector<int64_t> positions;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == info_.mask_id) positions.push_back(static_cast<int64_t>(i));
  }
  ASSERT_EQ(positions.size(), 2u);
  const int64_t offsets[2] = {0, static_cast<int64_t>(ids.size())};
  Floats logits(2 * vocabulary);
  ASSERT_EQ(lffn_model_logits(model_, ids.data(), offsets, 1, positions.data(), 2, logits.data()), LFFN_OK);

  Ids found(2 * vocabulary);
  Floats probabilities(2 * vocabulary);
  size_t masks = 0;
  ASSERT_EQ(lffn_model_fill_mask(model_, text.data(), text.size(), info_.vocab_size, found.data(), probabilities.data(),
                                 2, &masks),
            LFFN_OK);
  EXPECT_EQ(masks, 2u);
  for (size_t mask = 0; mask < 2; ++mask) {
    const float* row = &logits[mask * vocabulary];
    double sum = 0, total = 0;
    for (size_t i = 0; i < vocabulary; ++i) sum += std::exp(static_cast<double>(row[i]));
    for (size_t i = 0; i < vocabulary; ++i) {
      const size_t at = mask * vocabulary + i;
      EXPECT_NEAR(probabilities[at], std::exp(static_cast<double>(row[found[at]])) / sum, 1e-6);
      if (i > 0) {
        EXPECT_GE(row[found[at - 1]], row[found[at]]);
      }
      total += static_cast<double>(probabilities[at]);
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }

  // Fewer candidates and less room give the beginning of the same.
  Ids first(4, -7);
  Floats first_probabilities(4, -7);
  ASSERT_EQ(
      lffn_model_fill_mask(model_, text.data(), text.size(), 3, first.data(), first_probabilities.data(), 1, &masks),
      LFFN_OK);
  EXPECT_EQ(masks, 2u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first[i], found[i]);
    EXPECT_EQ(first_probabilities[i], probabilities[i]);
  }
  EXPECT_EQ(first[3], -7);
  EXPECT_EQ(lffn_model_fill_mask(model_, "none", 4, 3, nullptr, nullptr, 0, &masks), LFFN_OK);
  EXPECT_EQ(masks, 0u);
}

TEST_F(Text, FillingAMaskCanBeCancelled) {
  const std::string text = "The quick <mask>";
  int32_t cancel = 0;
  Ids ids(3, -7), expected(3, -7);
  size_t masks = 77;
  const auto fill = [&] {
    return lffn_model_fill_mask_cancellable(model_, text.data(), text.size(), 3, ids.data(), nullptr, 1, &masks,
                                            &cancel);
  };
  cancel = 1;
  EXPECT_EQ(fill(), LFFN_ERROR_CANCELLED);
  EXPECT_EQ(ids, expected);
  EXPECT_EQ(masks, 77u);
  cancel = 0;
  EXPECT_EQ(fill(), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(masks, 1u);
  ASSERT_EQ(lffn_model_fill_mask(model_, text.data(), text.size(), 3, expected.data(), nullptr, 1, &masks), LFFN_OK);
  EXPECT_EQ(ids, expected);
}

TEST_F(Text, EmbedsAndClassifiesAsTheFunctionsOnIdsDo) {
  const std::vector<std::string> texts = {"The quick brown fox", "", "na\u00efve <mask>", "x"};
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;
  Ids ids;
  std::vector<int64_t> offsets = {0};
  for (const std::string& text : texts) {
    pointers.push_back(text.c_str());
    sizes.push_back(text.size());
    const Ids more = tokenize(text, kSpecial);
    ids.insert(ids.end(), more.begin(), more.end());
    offsets.push_back(static_cast<int64_t>(ids.size()));
  }
  const auto n = static_cast<int64_t>(texts.size());
  for (const size_t* given : {static_cast<const size_t*>(sizes.data()), static_cast<const size_t*>(nullptr)}) {
    for (int32_t pooling = LFFN_POOLING_FIRST; pooling <= LFFN_POOLING_MAX; ++pooling) {
      Floats expected(texts.size() * static_cast<size_t>(info_.hidden_size)), found(expected.size());
      ASSERT_EQ(lffn_model_embed(model_, ids.data(), offsets.data(), n, pooling, 1, expected.data()), LFFN_OK);
      ASSERT_EQ(lffn_model_embed_texts(model_, pointers.data(), given, n, 0, pooling, 1, found.data()), LFFN_OK);
      EXPECT_EQ(found, expected);
    }
    Floats expected(texts.size() * static_cast<size_t>(info_.num_classes)), found(expected.size());
    ASSERT_EQ(lffn_model_classify(model_, ids.data(), offsets.data(), n, expected.data()), LFFN_OK);
    ASSERT_EQ(lffn_model_classify_texts(model_, pointers.data(), given, n, 0, found.data()), LFFN_OK);
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(lffn_model_embed_texts(model_, nullptr, nullptr, 0, 0, 0, 0, nullptr), LFFN_OK);
  EXPECT_EQ(lffn_model_classify_texts(model_, nullptr, nullptr, 0, 0, nullptr), LFFN_OK);
}

TEST_F(Text, CutsLongTextsOnlyWhenAsked) {
  std::string text(2000, 'z');
  const char* pointer = text.c_str();
  Floats vector(static_cast<size_t>(info_.hidden_size)), cut(vector.size());
  refused(lffn_model_embed_texts(model_, &pointer, nullptr, 1, 0, 0, 0, vector.data()),
          "texts[0]: the text has 2002 tokens, the model can run at most " + std::to_string(info_.max_tokens));
  ASSERT_EQ(lffn_model_embed_texts(model_, &pointer, nullptr, 1, kTruncate, 0, 0, vector.data()), LFFN_OK);
  text.resize(static_cast<size_t>(info_.max_tokens) - 2);
  pointer = text.c_str();
  ASSERT_EQ(lffn_model_embed_texts(model_, &pointer, nullptr, 1, 0, 0, 0, cut.data()), LFFN_OK);
  EXPECT_EQ(vector, cut);
  text.assign(2000, 'z');
  size_t masks = 0;
  refused(lffn_model_fill_mask(model_, text.data(), text.size(), 1, nullptr, nullptr, 0, &masks),
          "the text has 2002 tokens, the model can run at most " + std::to_string(info_.max_tokens));
}

TEST_F(Text, RefusesMisuse) {
  size_t count = 77;
  int32_t id = -7;
  float number = -7;
  char byte = '#';
  const char* texts[2] = {"a", nullptr};
  refused(lffn_model_tokenize(nullptr, "a", 1, 0, nullptr, 0, &count), "model is NULL");
  refused(lffn_model_tokenize(model_, nullptr, 1, 0, nullptr, 0, &count), "utf8 is NULL");
  refused(lffn_model_tokenize(model_, "a", 1, 0, nullptr, 1, &count), "ids is NULL");
  refused(lffn_model_tokenize(model_, "a", 1, 0, &id, 1, nullptr), "n_ids is NULL");
  refused(lffn_model_tokenize(model_, "a", 1, 4, &id, 1, &count),
          "flags is 0x4, which has bits this version does not know");
  refused(lffn_model_tokenize(model_, "a", SIZE_MAX, 0, &id, 1, &count),
          "n_bytes is 18446744073709551615, more than any memory holds");
  refused(lffn_model_tokenize(model_, "ab\xff", 3, 0, &id, 1, &count), "byte 2 of the text is not valid UTF-8");
  refused(lffn_model_tokenize_spans(nullptr, "a", 1, 0, nullptr, nullptr, nullptr, 0, &count), "model is NULL");
  const Ids bad = {5, info_.vocab_size};
  refused(lffn_model_detokenize(model_, bad.data(), 2, 0, &byte, 1, &count),
          "ids[1] is 461, which is not in the vocabulary of 461");
  refused(lffn_model_detokenize(model_, nullptr, 2, 0, &byte, 1, &count), "ids is NULL");
  refused(lffn_model_detokenize(model_, bad.data(), 1, 0, nullptr, 1, &count), "utf8 is NULL");
  refused(lffn_model_detokenize(model_, bad.data(), 1, 0, &byte, 1, nullptr), "n_bytes is NULL");
  refused(lffn_model_detokenize(model_, bad.data(), 1, 2, &byte, 1, &count),
          "flags is 0x2, which has bits this version does not know");
  for (const int32_t top_k : {0, -1, 462, INT32_MIN}) {
    refused(lffn_model_fill_mask(model_, "<mask>", 6, top_k, &id, &number, 1, &count),
            "top_k is " + std::to_string(top_k) + ", expected 1 to 461, the size of the vocabulary");
  }
  refused(lffn_model_fill_mask(model_, "<mask>", 6, 1, &id, &number, 1, nullptr), "n_masks is NULL");
  refused(lffn_model_embed_texts(model_, texts, nullptr, 2, 0, 0, 0, &number), "texts[1]: the text is NULL");
  refused(lffn_model_embed_texts(model_, nullptr, nullptr, 1, 0, 0, 0, &number), "texts is NULL");
  refused(lffn_model_embed_texts(model_, texts, nullptr, -1, 0, 0, 0, &number), "n is -1, expected 0 or more");
  refused(lffn_model_embed_texts(model_, texts, nullptr, 1, 0, 3, 0, &number),
          "pooling is 3, expected an LFFN_POOLING_ value");
  refused(lffn_model_embed_texts(model_, texts, nullptr, 1, 0, 0, 0, nullptr), "out is NULL");
  refused(lffn_model_embed_texts(model_, texts, nullptr, 1, 8, 0, 0, &number),
          "flags is 0x9, which has bits this version does not know");
  refused(lffn_model_classify_texts(model_, texts, nullptr, 1, 0, nullptr), "scores is NULL");
  EXPECT_EQ(count, 77u);
  EXPECT_EQ(id, -7);
  EXPECT_EQ(number, -7);
  EXPECT_EQ(byte, '#');
}

// A copy of a golden model's folder that a test may spoil.
class TextFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lffn-text-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    for (const char* file : {"config.json", "model.safetensors", "vocab.json", "merges.txt"}) {
      fs::copy_file(fs::path(kData) / "model-mixed" / file, folder_ / file);
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

TEST_F(TextFolder, NeedsNoTokenizer) {
  fs::remove(folder_ / "vocab.json");
  fs::remove(folder_ / "merges.txt");
  ASSERT_EQ(load(), LFFN_OK);
  lffn_model_info info;
  lffn_model_info_init(&info);
  ASSERT_EQ(lffn_model_get_info(model_, &info), LFFN_OK);
  EXPECT_EQ(info.has_tokenizer, 0);
  EXPECT_EQ(info.mask_id, -1);
  size_t count = 0;
  EXPECT_EQ(lffn_model_tokenize(model_, "a", 1, 0, nullptr, 0, &count), LFFN_ERROR_INVALID_ARGUMENT);
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
  write("vocab.json", R"({"<s>": 0, "</s>": 1, "<unk>": 411})");
  write("merges.txt", "");
  EXPECT_EQ(load(), LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lffn_last_error(), folder_.string() + ": the tokenizer has the id 411, but vocab_size is 411");
  EXPECT_EQ(model_, nullptr);
}

TEST_F(TextFolder, NeedsAMaskToFill) {
  write("vocab.json", R"({"<s>": 0, "</s>": 1, "<unk>": 2})");
  ASSERT_EQ(load(), LFFN_OK) << lffn_last_error();
  size_t count = 0;
  EXPECT_EQ(lffn_model_fill_mask(model_, "a", 1, 1, nullptr, nullptr, 0, &count), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "this model's vocabulary has no <mask>");
  lffn_model_free(model_);
}

}  // namespace
