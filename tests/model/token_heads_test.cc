// SPDX-License-Identifier: Apache-2.0
// Heads of tokens: in folders that transformers wrote, with what it computes from them, and in small ones cut from
// such.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "format/file.h"
#include "hf_folder.h"
#include "model/family.h"
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
  for (const char* place : {LFFN_SMALL_FOLDERS, LFFN_SHARED "/golden-hf3", LFFN_SHARED "/golden-hf4"}) {
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
    model_ = load_model(GetParam(), LoadOptions(), usable_kernels());
    tokens_ = parse_json_value(file_text(GetParam(), "tokens.json"), "tokens.json");
    file_ = std::make_unique<FileBytes>(GetParam() + "/io.safetensors");
    io_ = parse_safetensors(file_->data(), file_->size());
  }

  const std::vector<JsonValue>& list(const std::string& name) const {
    const auto found = std::find(tokens_.names.begin(), tokens_.names.end(), name);
    return tokens_.items.at(static_cast<size_t>(found - tokens_.names.begin())).items;
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
    std::vector<float> scores(batch.ids().size() * classes), wanted = floats(*expected);
    ModelCall call;
    batch.fill(call);
    call.token_scores = scores.data();
    model_->run(call);
    if (wanted.size() != scores.size()) {
      for (size_t t = 0; t < batch.ids().size(); ++t) scores[t] = scores[t * classes + column];
    }
    ASSERT_TRUE(wanted.size() == scores.size() || wanted.size() == batch.ids().size()) << name;
    EXPECT_LT(distance(scores.data(), wanted.data(), wanted.size()), 1e-4) << name;
    ++compared;
  };
  TextOptions options;
  options.max_tokens = 60;
  TextBatch batch;
  for (const char* kind : {"texts", "pairs"}) {
    const std::vector<JsonValue>& entries = list(kind);
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

INSTANTIATE_TEST_SUITE_P(Folders, TokenHeads, testing::ValuesIn(folders()), [](const auto& test) {
  const std::filesystem::path path(test.param);
  std::string name = path.parent_path().filename().string() + "_" + path.filename().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TokenHeads);

}  // namespace
}  // namespace lffn
