// SPDX-License-Identifier: Apache-2.0
// Folders that transformers and sentence-transformers wrote, with what these compute from them, and small ones cut from
// such folders.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "format/file.h"
#include "hf_folder.h"
#include "model/model.h"
#include "model/text_batch.h"
#include "runtime/error.h"

namespace lffn {
namespace {

// Whether the library has the folder's family, and a head that token_heads_test.cc does not look at.
bool is_supported(const std::string& folder) {
  const JsonObject config(file_text(folder, "config.json"), "config.json");
  const JsonValue& heads = *config.value("architectures");
  const std::string& head = heads.items[0].scalar.text;
  for (const char* other : {"ForTokenClassification", "ForQuestionAnswering"}) {
    if (head.find(other) != std::string::npos) return false;
  }
  return find_family(config.text("model_type")) != nullptr;
}

// The folders in all places: those that are always here, and more where they are.
std::vector<std::string> folders() {
  std::vector<std::string> result;
  for (const char* place : {LFFN_HF_DATA, LFFN_SMALL_FOLDERS, LFFN_MORE_HF_DATA, LFFN_STUDENT_HF_DATA}) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(place, none)) {
      if (std::filesystem::exists(entry.path() / "io.safetensors")) result.push_back(entry.path().string());
    }
  }
  for (const char* place : {LFFN_SHARED "/golden-hf3", LFFN_SHARED "/golden-hf4", LFFN_SHARED "/golden-hf8"}) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(place, none)) {
      if (std::filesystem::exists(entry.path() / "config.json") && is_supported(entry.path().string()))
        result.push_back(entry.path().string());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

double distance_to(const float* got, const TensorView& expected) {
  const std::vector<float> values = floats(expected);
  return distance(got, values.data(), values.size());
}

struct Input {
  std::vector<int32_t> ids, types;
};

class GoldenHf : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    model_ = load_model_folder(WithoutTokenizer(GetParam()), ModelLoadOptions(), usable_kernels());
    file_ = std::make_unique<FileBytes>(GetParam() + "/io.safetensors");
    io_ = parse_safetensors(file_->data(), file_->size());
  }

  std::vector<Input> inputs(const char* kind) const {
    const JsonObject tokens(file_text(GetParam(), "tokens.json"), "tokens.json");
    std::vector<Input> result;
    for (const JsonValue& entry : tokens.value(kind)->items) {
      const JsonObject text(entry, kind);
      Input input;
      input.ids = integers(*text.value("ids"));
      const JsonValue* types = text.value("types");
      if (types != nullptr && !types->is_null()) input.types = integers(*types);
      result.push_back(std::move(input));
    }
    return result;
  }

  // Hidden states and, where given, logits of all inputs, which go through the model together.
  void expect_outputs(const std::vector<Input>& all, const std::string& prefix) {
    ASSERT_FALSE(all.empty());
    Input together;
    std::vector<int64_t> offsets = {0};
    for (const Input& input : all) {
      together.ids.insert(together.ids.end(), input.ids.begin(), input.ids.end());
      together.types.insert(together.types.end(), input.types.begin(), input.types.end());
      offsets.push_back(static_cast<int64_t>(together.ids.size()));
    }
    const auto d = static_cast<size_t>(model_->config().hidden_size);
    const auto vocabulary = static_cast<size_t>(model_->config().vocab_size);
    std::vector<float> hidden(together.ids.size() * d), scores(all.size() * static_cast<size_t>(model_->num_classes()));
    std::vector<float> logits(model_->has_lm_head() ? together.ids.size() * vocabulary : 0);
    const auto token_classes = static_cast<size_t>(model_->num_token_classes());
    std::vector<float> token_scores(together.ids.size() * token_classes);
    std::vector<int64_t> positions(together.ids.size());
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(i);
    ModelCall call;
    call.ids = together.ids.data();
    if (model_->family().texts_have_types && !together.types.empty()) call.types = together.types.data();
    call.offsets = offsets.data();
    call.num_sequences = static_cast<int64_t>(all.size());
    call.hidden = hidden.data();
    if (model_->num_classes() > 0) call.class_scores = scores.data();
    if (token_classes > 0) call.token_scores = token_scores.data();
    if (model_->has_lm_head()) {
      call.positions = positions.data();
      call.num_positions = static_cast<int64_t>(positions.size());
      call.logits = logits.data();
    }
    model_->run(call);
    int compared = 0, compared_hidden = 0;
    std::vector<float> all_got, all_expected;  // scores of classes
    for (size_t i = 0; i < all.size(); ++i) {
      const TensorView* expected = io_.find(prefix + "hidden." + std::to_string(i));
      if (expected != nullptr && expected->size == 0) {  // no token
        ++compared_hidden;
      } else if (expected != nullptr) {  // large files have those of some texts
        ++compared_hidden;
        EXPECT_LT(distance_to(hidden.data() + static_cast<size_t>(offsets[i]) * d, *expected), 1e-4) << prefix << i;
      }
      expected = io_.find(prefix + "logits." + std::to_string(i));
      if (expected == nullptr) continue;
      ++compared;
      const float* got = model_->has_lm_head() ? logits.data() + static_cast<size_t>(offsets[i]) * vocabulary
                         : token_classes > 0   ? token_scores.data() + static_cast<size_t>(offsets[i]) * token_classes
                                               : scores.data() + i * static_cast<size_t>(model_->num_classes());
      if (model_->num_classes() > 0) {  // of all texts together: one text's may be nearly 0
        const std::vector<float> values = floats(*expected);
        all_got.insert(all_got.end(), got, got + values.size());
        all_expected.insert(all_expected.end(), values.begin(), values.end());
        continue;
      }
      EXPECT_LT(distance_to(got, *expected), 1e-4) << prefix << "logits " << i;
    }
    if (!all_got.empty()) {
      EXPECT_LT(distance(all_got.data(), all_expected.data(), all_got.size()), 1e-4) << prefix;
    }
    EXPECT_GE(3 * compared_hidden, static_cast<int>(all.size()));
    // Students' folders have hidden states alone, and those of answers have them by another name.
    // Base models have none at all.
    const JsonObject config(file_text(GetParam(), "config.json"), "config.json");
    const JsonValue* heads = config.value("architectures");
    const bool has_logits = std::string(GetParam()).find("golden-hf5") == std::string::npos &&
                            model_->token_head() != TokenHead::kAnswers && heads != nullptr &&
                            heads->items[0].scalar.text.find("For") != std::string::npos;
    const bool of_pairs = model_->num_classes() > 0 || model_->num_token_classes() > 0;
    EXPECT_EQ(compared > 0, has_logits && (prefix.empty() || of_pairs));
  }

  std::unique_ptr<const Model> model_;
  std::unique_ptr<FileBytes> file_;
  Safetensors io_;
};

TEST_P(GoldenHf, HiddenStatesAndLogits) {
  if (io_.find("embeddings") != nullptr) GTEST_SKIP() << "embeddings only";
  expect_outputs(inputs("texts"), "");
  expect_outputs(inputs("pairs"), "pair_");
}

// The texts' tokens, cut as the reference's are, and their types.
TEST_P(GoldenHf, TextsAndPairs) {
  if (io_.find("embeddings") != nullptr) GTEST_SKIP() << "embeddings only";
  model_ = load_model(GetParam(), ModelLoadOptions(), usable_kernels());
  if (model_->tokenizer() == nullptr) GTEST_SKIP() << "no tokenizer";
  const JsonObject tokens(file_text(GetParam(), "tokens.json"), "tokens.json");
  TextOptions options;
  for (const char* kind : {"texts", "pairs"}) {
    TextBatch batch;
    const JsonValue& entries = *tokens.value(kind);
    options.max_tokens = longest_ids(entries.items);
    batch.start(*model_, options);
    for (const JsonValue& entry : entries.items) {
      const JsonObject text(entry, kind);
      if (text.value("text") != nullptr) {
        batch.add(text.text("text"));
        EXPECT_EQ(batch.rows().uncut().back(), static_cast<int64_t>(text.value("full_ids")->items.size()));
      } else {
        batch.add_pair(text.text("a"), text.text("b"));
      }
    }
    const std::vector<Input> expected = inputs(kind);
    std::vector<int32_t> ids, types;
    for (const Input& input : expected) {
      ids.insert(ids.end(), input.ids.begin(), input.ids.end());
      types.insert(types.end(), input.types.begin(), input.types.end());
    }
    EXPECT_EQ(batch.rows().ids(), ids);
    ModelCall call;
    batch.fill(call);
    ASSERT_EQ(call.types != nullptr, model_->family().texts_have_types && model_->num_types() > 0);
    if (call.types != nullptr && !types.empty()) {
      EXPECT_EQ(std::vector<int32_t>(call.types, call.types + ids.size()), types);
    }
  }
}

TEST_P(GoldenHf, Embeddings) {
  const TensorView* expected = io_.find("embeddings");
  if (expected == nullptr) GTEST_SKIP() << "no embeddings";
  model_ = load_model(GetParam(), ModelLoadOptions(), usable_kernels());
  const JsonValue texts = parse_json_value(file_text(GetParam(), "texts.json"), "texts.json");
  TextOptions options;
  options.prompt = default_prompt(*model_);
  options.max_tokens = model_->own_max_tokens();
  TextBatch batch;
  batch.start(*model_, options);
  for (const JsonValue& text : texts.items) batch.add(text.scalar.text);
  const int64_t size = model_->embedding_size(std::nullopt);
  ASSERT_EQ(expected->shape, (std::vector<int64_t>{batch.rows().size(), size}));
  std::vector<float> got(static_cast<size_t>(batch.rows().size() * size));
  ModelCall call;
  batch.fill(call);
  call.embeddings = got.data();
  model_->run(call);
  for (int64_t i = 0; i < batch.rows().size(); ++i) {
    TensorView row = *expected;
    row.data += i * size * 4;
    row.size = static_cast<size_t>(size) * 4;
    EXPECT_LT(distance_to(got.data() + i * size, row), 1e-4) << texts.items[static_cast<size_t>(i)].scalar.text;
  }
}

// Texts of thousands of tokens, by their ids: the hidden states of some of them, and the mean of all.
TEST_P(GoldenHf, LongTexts) {
  if (!std::filesystem::exists(GetParam() + "/long.json")) GTEST_SKIP() << "no long texts";
  const JsonValue texts = parse_json_value(file_text(GetParam(), "long.json"), "long.json");
  const auto d = static_cast<size_t>(model_->config().hidden_size);
  for (size_t i = 0; i < texts.items.size(); ++i) {
    const JsonObject text(texts.items[i], "a text");
    const std::vector<int32_t> positions = integers(*text.value("positions"));
    const TensorView* given = io_.find("ids." + std::to_string(i));
    ASSERT_NE(given, nullptr);
    ASSERT_EQ(given->dtype, DType::kI32);
    std::vector<int32_t> ids(given->size / sizeof(int32_t));
    given->read(0, given->size, ids.data());
    const int64_t offsets[] = {0, static_cast<int64_t>(ids.size())};
    std::vector<float> hidden(ids.size() * d), some(positions.size() * d);
    ModelCall call;
    call.ids = ids.data();
    call.offsets = offsets;
    call.num_sequences = 1;
    call.hidden = hidden.data();
    model_->run(call);
    std::vector<float> mean(d);
    for (size_t c = 0; c < d; ++c) {
      double sum = 0;
      for (size_t t = 0; t < ids.size(); ++t) sum += static_cast<double>(hidden[t * d + c]);
      mean[c] = static_cast<float>(sum / static_cast<double>(ids.size()));
    }
    for (size_t p = 0; p < positions.size(); ++p) {
      std::copy_n(hidden.begin() + static_cast<int64_t>(static_cast<size_t>(positions[p]) * d), d,
                  some.begin() + static_cast<int64_t>(p * d));
    }
    EXPECT_LT(distance_to(some.data(), *io_.find("hidden." + std::to_string(i))), 1e-4) << ids.size();
    EXPECT_LT(distance_to(mean.data(), *io_.find("mean." + std::to_string(i))), 1e-4) << ids.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, GoldenHf, testing::ValuesIn(folders()), [](const auto& test) {
  const std::filesystem::path path(test.param);
  std::string name = path.parent_path().filename().string() + "_" + path.filename().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(GoldenFolders, AreOfEveryKind) {
  for (const char* name : {"bert-classes",          "bert-mlm",
                           "bert-reranker",         "deberta-v2-absolute",
                           "deberta-v2-classes",    "deberta-v2-each-distance",
                           "deberta-v2-keys-alone", "deberta-v2-mlm",
                           "deberta-v2-new-mlm",    "electra-mlm",
                           "deberta-v2-own-keys",   "distilbert",
                           "electra-classes",       "mpnet-mlm",
                           "roberta-mlm",           "roberta-prelayernorm-mlm",
                           "xlm-roberta-xl-mlm",    "sentence-cls",
                           "sentence-dense",        "sentence-lookup-bh4",
                           "sentence-lookup-dense", "sentence-max",
                           "sentence-mean",         "sentence-prompt"}) {
    const auto all = folders();
    EXPECT_EQ(std::count(all.begin(), all.end(), std::string(LFFN_SMALL_FOLDERS) + "/" + name), 1) << name;
  }
}

TEST(MoreGoldenFolders, AreThere) {
  if (!std::filesystem::exists(LFFN_MORE_HF_DATA)) {
    GTEST_SKIP() << LFFN_MORE_HF_DATA << " is not here: only the folders beside this test were tried";
  }
}

}  // namespace
}  // namespace lffn
