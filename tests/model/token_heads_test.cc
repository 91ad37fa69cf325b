// SPDX-License-Identifier: Apache-2.0
// Heads of tokens: in folders that transformers wrote, with what it computes from them, and in small ones cut from
// such.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "format/file.h"
#include "format/utf8.h"
#include "hf_folder.h"
#include "lookupffn/lookupffn.hpp"
#include "model/families/family.h"
#include "model/model.h"
#include "model/text_batch.h"

namespace lffn {
namespace {

bool has_token_head(const std::filesystem::path& folder) {
  const std::string config = file_text(folder.string(), "config.json");
  return config.find("ForTokenClassification") != std::string::npos ||
         config.find("ForQuestionAnswering") != std::string::npos;
}

std::vector<std::string> folders() {
  std::vector<std::string> result;
  for (const char* place :
       {LFFN_SMALL_FOLDERS, LFFN_SHARED "/golden-hf3", LFFN_SHARED "/golden-hf4", LFFN_SHARED "/golden-hf8"}) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(place, none)) {
      if (entry.is_directory() && std::filesystem::exists(entry.path() / "tokens.json") &&
          has_token_head(entry.path())) {
        result.push_back(entry.path().string());
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

class TokenHeads : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const JsonObject config(file_text(GetParam(), "config.json"), "config.json");
    if (find_family(config.text("model_type")) == nullptr) GTEST_SKIP() << "not a family of this version";
    try {
      model_ = load_model(GetParam(), ModelLoadOptions(), usable_kernels());
    } catch (const Error& error) {
      if (std::string(error.what()).find("tokenizer.json") == std::string::npos) throw;
      GTEST_SKIP() << "its tokenizer is not read: " << error.what();
    }
    tokens_ = parse_json_value(file_text(GetParam(), "tokens.json"), "tokens.json");
    file_ = std::make_unique<FileBytes>(GetParam() + "/io.safetensors");
    io_ = parse_safetensors(file_->data(), file_->size());
  }

  const std::vector<JsonValue>& list(const std::string& name) const {
    const auto found = std::find(tokens_.names.begin(), tokens_.names.end(), name);
    return tokens_.items.at(static_cast<size_t>(found - tokens_.names.begin())).items;
  }

  bool has(const std::string& name) const {
    return std::find(tokens_.names.begin(), tokens_.names.end(), name) != tokens_.names.end();
  }

  std::unique_ptr<const Model> model_;
  JsonValue tokens_;
  std::unique_ptr<FileBytes> file_;
  Safetensors io_;
};

TEST_P(TokenHeads, ScoresOfTokens) {
  const auto classes = static_cast<size_t>(model_->num_token_classes());
  ASSERT_EQ(classes == 2, model_->token_head() == TokenHead::kAnswers);
  int compared = 0;
  const auto compare = [&](const TextBatch& batch, size_t column, const std::string& name) {
    const TensorView* expected = io_.find(name);
    if (expected == nullptr) return;
    std::vector<float> scores(batch.rows().ids().size() * classes), wanted = floats(*expected);
    ModelCall call;
    batch.fill(call);
    call.token_scores = scores.data();
    model_->run(call);
    if (wanted.size() != scores.size()) {
      for (size_t t = 0; t < batch.rows().ids().size(); ++t) scores[t] = scores[t * classes + column];
    }
    ASSERT_TRUE(wanted.size() == scores.size() || wanted.size() == batch.rows().ids().size()) << name;
    EXPECT_LT(distance(scores.data(), wanted.data(), wanted.size()), 1e-4) << name;
    ++compared;
  };
  TextOptions options;
  TextBatch batch;
  for (const char* kind : {"texts", "pairs"}) {
    const std::vector<JsonValue>& entries = list(kind);
    options.max_tokens = longest_ids(entries);
    for (size_t i = 0; i < entries.size(); ++i) {
      const JsonObject entry(entries[i], kind);
      batch.start(*model_, options);
      if (entry.value("text") != nullptr) {
        batch.add(entry.text("text"));
        compare(batch, 0, "logits." + std::to_string(i));
      } else {
        batch.add_pair(entry.text("a"), entry.text("b"));
        compare(batch, 0, "pair_start." + std::to_string(i));
        compare(batch, 1, "pair_end." + std::to_string(i));
      }
    }
  }
  EXPECT_GT(compared, 0);
}

// Bytes before a place that is counted in characters.
size_t bytes_of(std::string_view text, const JsonValue& characters) {
  size_t at = 0;
  for (uint64_t i = 0; i < characters.scalar.integer; ++i) next_character(text, at);
  return at;
}

TEST_P(TokenHeads, Entities) {
  if (model_->token_head() != TokenHead::kClasses) GTEST_SKIP() << "of answers";
  const auto model = lookupffn::Model::load(GetParam());
  const std::pair<const char*, int32_t> kinds[] = {{"none", LFFN_AGGREGATION_NONE},
                                                   {"simple", LFFN_AGGREGATION_SIMPLE},
                                                   {"first", LFFN_AGGREGATION_FIRST},
                                                   {"average", LFFN_AGGREGATION_AVERAGE},
                                                   {"max", LFFN_AGGREGATION_MAX}};
  size_t compared = 0;
  for (const auto& [name, aggregation] : kinds) {
    if (!has(std::string("entities_") + name)) continue;
    for (const JsonValue& entry : list(std::string("entities_") + name)) {
      const JsonObject expected(entry, name);
      const std::string text = expected.text("text");
      const std::vector<lookupffn::Entity> found = model.entities({text}, aggregation)[0];
      const std::vector<JsonValue>& wanted = expected.value("entities")->items;
      ASSERT_EQ(found.size(), wanted.size()) << name << ": " << text;
      for (size_t i = 0; i < found.size(); ++i) {
        const JsonObject one(wanted[i], name);
        const JsonValue* label = one.value("entity_group");
        for (const char* other : {"entity", "label"}) label = label == nullptr ? one.value(other) : label;
        EXPECT_EQ(found[i].label, label->scalar.text) << name << ": " << text;
        EXPECT_EQ(found[i].begin, bytes_of(text, *one.value("start"))) << name << ": " << text;
        EXPECT_EQ(found[i].end, bytes_of(text, *one.value("end"))) << name << ": " << text;
        EXPECT_NEAR(found[i].score, one.number("score", 0), 2e-5) << name << ": " << text;
        ++compared;
      }
    }
  }
  EXPECT_TRUE(compared > 20 || !has("entities_none"));
}

TEST_P(TokenHeads, Answers) {
  if (model_->token_head() != TokenHead::kAnswers) GTEST_SKIP() << "of classes";
  if (!has("answers")) GTEST_SKIP() << "none are told here";
  const auto model = lookupffn::Model::load(GetParam());
  for (const JsonValue& entry : list("answers")) {
    const JsonObject expected(entry, "answers");
    const std::string context = expected.text("context");
    lookupffn::AnswerOptions options;
    options.top_k = 3;
    options.max_tokens = expected.integer("max_tokens", 60);
    options.stride = expected.integer("stride", 16);
    options.max_answer_tokens = expected.integer("max_answer_tokens", 12);
    const std::vector<lookupffn::Answer> found = model.answer(expected.text("question"), context, options);
    const std::vector<JsonValue>& wanted = expected.value("answers")->items;
    ASSERT_EQ(found.size(), wanted.size()) << context;
    for (size_t i = 0; i < found.size(); ++i) {
      const JsonObject one(wanted[i], "answer");
      EXPECT_EQ(found[i].begin, bytes_of(context, *one.value("start"))) << context;
      EXPECT_EQ(found[i].end, bytes_of(context, *one.value("end"))) << context;
      EXPECT_NEAR(found[i].score, one.number("score", 0), 2e-5) << context;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, TokenHeads, testing::ValuesIn(folders()), [](const auto& test) {
  const std::filesystem::path path(test.param);
  std::string name = path.parent_path().filename().string() + "_" + path.filename().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TokenHeads);

}  // namespace
}  // namespace lffn
