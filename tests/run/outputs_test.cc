// SPDX-License-Identifier: Apache-2.0
// Every output of lffn_model_run goes to the caller's memory and into a result alike, and says how much room it needs.
#include "tests/support/outputs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

size_t size_of(int32_t dtype) {
  switch (dtype) {
    case LFFN_DTYPE_F32:
    case LFFN_DTYPE_INT32:
      return 4;
    case LFFN_DTYPE_INT64:
    case LFFN_DTYPE_F64:
      return 8;
    default:
      return 1;
  }
}

// A model that has some outputs, and how it is called.
struct Case {
  std::string name, folder;
  std::vector<int32_t> outputs;
  int32_t windows = LFFN_WINDOWS_NONE;
};

std::vector<int32_t> from_to(int32_t first, int32_t last) {
  std::vector<int32_t> list;
  for (int32_t what = first; what <= last; ++what) list.push_back(what);
  return list;
}

const std::vector<int32_t> kMade = {
    LFFN_OUT_HIDDEN,         LFFN_OUT_EMBEDDINGS,    LFFN_OUT_INT8_EMBEDDINGS,    LFFN_OUT_EMBEDDING_SCALES,
    LFFN_OUT_BIT_EMBEDDINGS, LFFN_OUT_TOKEN_VECTORS, LFFN_OUT_INT8_TOKEN_VECTORS, LFFN_OUT_TOKEN_VECTOR_SCALES,
    LFFN_OUT_VECTOR_TOKENS,  LFFN_OUT_VECTOR_OFFSETS};

std::vector<Case> cases() {
  const std::vector<int32_t> read = from_to(LFFN_OUT_TOKEN_IDS, LFFN_OUT_MESSAGE_OFFSETS);
  const auto with = [&](std::vector<int32_t> more) {
    more.insert(more.end(), read.begin(), read.end());
    return more;
  };
  std::vector<int32_t> heads = from_to(LFFN_OUT_MASK_POSITIONS, LFFN_OUT_FILLING_PROBABILITIES);
  heads.erase(std::remove(heads.begin(), heads.end(), LFFN_OUT_TOKEN_SCORES), heads.end());
  std::vector<int32_t> windows = with(kMade);
  windows.push_back(LFFN_OUT_CLASS_SCORES);
  std::vector<int32_t> entities = from_to(LFFN_OUT_ENTITY_BEGINS, LFFN_OUT_ENTITY_OFFSETS);
  entities.push_back(LFFN_OUT_TOKEN_SCORES);
  std::vector<int32_t> sparse = from_to(LFFN_OUT_SPARSE_IDS, LFFN_OUT_SPARSE_OFFSETS);
  sparse.push_back(LFFN_OUT_HIDDEN);
  return {{"Heads", LFFN_MODEL_DATA "/model-lookup", with(heads)},
          {"Windows", LFFN_MODEL_DATA "/model-lookup", windows, LFFN_WINDOWS_EACH},
          {"Entities", LFFN_SMALL_FOLDERS "/bert-tokens", with(entities)},
          {"Sparse", LFFN_SMALL_FOLDERS "/bert-mlm", with(sparse)},
          {"Static", LFFN_STATIC_FOLDERS "/static-st-model2vec", with({LFFN_OUT_EMBEDDINGS, LFFN_OUT_TOKEN_VECTORS})}};
}

// A language model that its files make a sparse encoder.
lookupffn::Model load_sparse(const std::string& folder) {
  const std::filesystem::path made = std::filesystem::path(testing::TempDir()) / ("sparse-" + std::to_string(getpid()));
  std::filesystem::copy(folder, made, std::filesystem::copy_options::recursive);
  std::ofstream(made / "modules.json")
      << R"([{"idx":0,"name":"0","path":"","type":"sentence_transformers.sparse_encoder.models.MLMTransformer"},)"
      << R"({"idx":1,"name":"1","path":"1_SpladePooling",)"
      << R"("type":"sentence_transformers.sparse_encoder.models.SpladePooling"}])";
  std::filesystem::create_directory(made / "1_SpladePooling");
  std::ofstream(made / "1_SpladePooling" / "config.json")
      << R"({"pooling_strategy":"max","activation_function":"relu","word_embedding_dimension":null})";
  lookupffn::Model model = lookupffn::Model::load(made);
  std::filesystem::remove_all(made);
  return model;
}

class Outputs : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const std::string& folder = GetParam().folder;
    model_ = asks(LFFN_OUT_SPARSE_IDS) ? load_sparse(folder) : lookupffn::Model::load(folder);
    for (int i = 0; i < 30; ++i) long_ += "Hello world " + std::to_string(i) + " ";
    texts_ = {"Hello, <mask> world! The quick brown fox.", "\xff", long_.c_str(), ""};
    lffn_model_run_args_init(&args_);
    args_.texts = texts_.data();
    args_.n = static_cast<int64_t>(texts_.size());
    args_.windows = GetParam().windows;
    if (args_.windows != LFFN_WINDOWS_NONE) args_.max_tokens = 12;
  }
  bool asks(int32_t what) const {
    const std::vector<int32_t>& list = GetParam().outputs;
    return std::find(list.begin(), list.end(), what) != list.end();
  }
  // With what these outputs need besides, and statuses, as one of the texts is none.
  lffn_status run(std::vector<lffn_output> list, lffn_result* result) {
    std::set<int32_t> asked;
    for (const lffn_output& output : list) asked.insert(output.what);
    const auto beside = [&](int32_t what, int32_t need, std::vector<int64_t>& memory) {
      if (asked.count(what) == 0 || asked.count(need) != 0) return;
      memory.resize(1 << 20);
      list.push_back({need, 0, memory.data(), 8 << 20});
    };
    beside(LFFN_OUT_EMBEDDING_SCALES, LFFN_OUT_INT8_EMBEDDINGS, memory_[0]);
    beside(LFFN_OUT_TOKEN_VECTOR_SCALES, LFFN_OUT_INT8_TOKEN_VECTORS, memory_[1]);
    if (asked.count(LFFN_OUT_STATUSES) == 0) {
      memory_[2].resize(16);
      list.push_back({LFFN_OUT_STATUSES, 0, memory_[2].data(), 32});
    }
    const bool fills = asked.count(LFFN_OUT_FILLING_IDS) + asked.count(LFFN_OUT_FILLING_PROBABILITIES) > 0;
    args_.top_k = fills ? 3 : 0;
    args_.flags = asked.count(LFFN_OUT_LOGITS) != 0 ? uint32_t{LFFN_RUN_ALL_LOGITS} : 0;
    args_.outputs = list.data();
    args_.n_outputs = static_cast<int64_t>(list.size());
    args_.result = result;
    return lffn_model_run(model_.get(), &args_);
  }

  lookupffn::Model model_;
  std::string long_;
  std::vector<const char*> texts_;
  lffn_model_run_args args_;
  std::vector<int64_t> memory_[3];
};

TEST_P(Outputs, GoToEitherPlaceAlike) {
  const lookupffn::Result all, one;
  ASSERT_EQ(run(outputs::kept(GetParam().outputs), all.get()), LFFN_OK) << lffn_last_error();
  int64_t with_rows = 0;
  for (const int32_t what : GetParam().outputs) {
    SCOPED_TRACE(what);
    lffn_array kept;
    ASSERT_EQ(lffn_result_array(all.get(), what, &kept), LFFN_OK) << lffn_last_error();
    const auto numbers = static_cast<size_t>(kept.rows) * static_cast<size_t>(kept.columns);
    ASSERT_TRUE(numbers == 0 || kept.data != nullptr);
    with_rows += numbers > 0 ? 1 : 0;
    const auto* const bytes = static_cast<const unsigned char*>(kept.data);
    const Bytes expected(bytes, bytes + numbers * size_of(kept.dtype));
    // Alone, in memory of the caller with a guard behind it.
    constexpr unsigned char kGuard = 0xA5;
    Bytes given(expected.size() + 8, kGuard);
    const lffn_output to_memory = {what, 0, given.data(), static_cast<int64_t>(numbers)};
    ASSERT_EQ(run({to_memory}, nullptr), LFFN_OK) << lffn_last_error();
    EXPECT_EQ(Bytes(given.begin(), given.end() - 8), expected);
    EXPECT_EQ(Bytes(given.end() - 8, given.end()), Bytes(8, kGuard));
    // Beside a result, which then tells the size and keeps nothing.
    ASSERT_EQ(run({to_memory}, one.get()), LFFN_OK) << lffn_last_error();
    lffn_array told;
    ASSERT_EQ(lffn_result_array(one.get(), what, &told), LFFN_OK);
    EXPECT_EQ(told.data, nullptr);
    EXPECT_EQ(told.rows, kept.rows);
    EXPECT_EQ(told.columns, kept.columns);
    EXPECT_EQ(told.dtype, kept.dtype);
  }
  EXPECT_GE(with_rows + 2, static_cast<int64_t>(GetParam().outputs.size())) << "nearly all have something";
}

TEST_P(Outputs, SayHowMuchRoomTheyNeed) {
  const lookupffn::Result result;
  for (const int32_t what : GetParam().outputs) {
    SCOPED_TRACE(what);
    ASSERT_EQ(run(outputs::kept({what}), result.get()), LFFN_OK) << lffn_last_error();
    lffn_array kept;
    ASSERT_EQ(lffn_result_array(result.get(), what, &kept), LFFN_OK);
    const int64_t numbers = kept.rows * kept.columns;
    if (numbers == 0) continue;
    Bytes given(static_cast<size_t>(numbers) * size_of(kept.dtype), 7);
    const lffn_output too_small = {what, 0, given.data(), numbers - 1};
    for (lffn_result* const with : {static_cast<lffn_result*>(nullptr), result.get()}) {
      ASSERT_EQ(run({too_small}, with), LFFN_ERROR_TOO_SMALL);
      const std::string message = lffn_last_error();
      EXPECT_NE(message.find("capacity is " + std::to_string(numbers - 1) + ", expected " + std::to_string(numbers)),
                std::string::npos)
          << message;
      EXPECT_EQ(given, Bytes(given.size(), 7)) << "nothing is written";
    }
    lffn_array told;
    ASSERT_EQ(lffn_result_array(result.get(), what, &told), LFFN_OK) << lffn_last_error();
    EXPECT_EQ(told.data, nullptr);
    EXPECT_EQ(told.rows, kept.rows);
    EXPECT_EQ(told.columns, kept.columns);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Outputs, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

class OutputLists : public testing::Test {
 protected:
  void SetUp() override {
    model_ = lookupffn::Model::load(LFFN_MODEL_DATA "/model-lookup");
    lffn_model_run_args_init(&args_);
    args_.texts = &text_;
    args_.n = 1;
  }
  void refused(const std::vector<lffn_output>& list, const std::string& part, bool with_result = true) {
    args_.outputs = list.data();
    args_.n_outputs = static_cast<int64_t>(list.size());
    args_.result = with_result ? result_.get() : nullptr;
    EXPECT_EQ(lffn_model_run(model_.get(), &args_), LFFN_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
    lffn_array array;
    EXPECT_EQ(lffn_result_array(result_.get(), LFFN_OUT_EMBEDDINGS, &array), LFFN_ERROR_INVALID_ARGUMENT)
        << "a failed call leaves an empty result";
  }

  lookupffn::Model model_;
  lookupffn::Result result_;
  const char* text_ = "x <mask>";
  lffn_model_run_args args_;
};

TEST_F(OutputLists, RefuseWhatMakesNoSense) {
  float number = 0;
  const lffn_output embeddings = {LFFN_OUT_EMBEDDINGS, 0, nullptr, 0};
  refused({embeddings, embeddings}, "outputs[1] is embeddings, which is asked for twice");
  refused({{LFFN_OUT_EMBEDDINGS, 0, &number, 1}, embeddings}, "asked for twice");
  refused({{0, 0, nullptr, 0}}, "outputs[0].what is 0, expected an LFFN_OUT_ value");
  refused({embeddings, {-1, 0, nullptr, 0}}, "outputs[1].what is -1");
  refused({{63, 0, nullptr, 0}}, "outputs[0].what is 63, expected an LFFN_OUT_ value");
  refused({{INT32_MAX, 0, nullptr, 0}}, "expected an LFFN_OUT_ value");
  refused({{LFFN_OUT_EMBEDDINGS, 7, nullptr, 0}}, "outputs[0].reserved is 7, expected 0");
  refused({{LFFN_OUT_EMBEDDINGS, 0, nullptr, 5}}, "is 5, expected 0 without data");
  refused({{LFFN_OUT_EMBEDDINGS, 0, &number, -1}}, "is -1, expected 0 or more");
  refused({embeddings}, "has no data, and the call has no result that could keep it", false);
  for (const int32_t what : from_to(LFFN_OUT_ANSWER_BEGINS, LFFN_OUT_DECODED_OFFSETS)) {
    refused({{what, 0, nullptr, 0}}, "which this call does not give");
  }
  for (const int32_t what : {LFFN_OUT_TOKEN_SCORES, LFFN_OUT_SPARSE_IDS, LFFN_OUT_ENTITY_CLASSES}) {
    refused({{what, 0, nullptr, 0}}, "this model ");
  }
  refused({{LFFN_OUT_EMBEDDING_SCALES, 0, nullptr, 0}}, "but not the int8_embeddings");
  refused({{LFFN_OUT_TOKEN_VECTOR_SCALES, 0, nullptr, 0}}, "but not the int8_token_vectors");
  args_.outputs = nullptr;
  args_.n_outputs = 1;
  EXPECT_EQ(lffn_model_run(model_.get(), &args_), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lffn_last_error(), "outputs is NULL");
  args_.n_outputs = -1;
  EXPECT_EQ(lffn_model_run(model_.get(), &args_), LFFN_ERROR_INVALID_ARGUMENT);
}

TEST_F(OutputLists, RefuseMembersWithoutEffect) {
  const std::vector<lffn_output> list = outputs::kept({LFFN_OUT_EMBEDDINGS});
  const int64_t position = 0;
  args_.top_k = 2;
  refused(list, "top_k is given, but no fillings are asked for");
  args_.top_k = 0;
  args_.logit_positions = &position;
  args_.n_logit_positions = 1;
  refused(list, "logit_positions are given, but no logits are asked for");
  args_.flags = LFFN_RUN_ALL_LOGITS;
  refused(outputs::kept({LFFN_OUT_LOGITS}), "logit_positions are given, but the flags ask for all of them");
  args_.logit_positions = nullptr;
  args_.n_logit_positions = 0;
  refused(list, "no logits are asked for");
  args_.flags = LFFN_RUN_ALL_LABELS;
  refused(list, "no entities are asked for");
  args_.flags = 0;
  args_.aggregation = LFFN_AGGREGATION_MAX;
  refused(list, "no entities are asked for");
  args_.aggregation = LFFN_AGGREGATION_SIMPLE;
  args_.max_active = 3;
  refused(list, "no sparse vectors are asked for");
  args_.max_active = LFFN_MAX_ACTIVE_MODEL;
  args_.min_weight = 0.5f;
  refused(list, "no sparse vectors are asked for");
  args_.min_weight = 0;
  const std::vector<lffn_output> ids = outputs::kept({LFFN_OUT_TOKEN_IDS});
  args_.pooling = LFFN_POOLING_MEAN;
  refused(ids, "no embeddings are asked for");
  args_.pooling = LFFN_POOLING_MODEL;
  args_.dimensions = 2;
  refused(ids, "no embeddings are asked for");
  args_.dimensions = 0;
  args_.normalize = LFFN_NORMALIZE_NO;
  refused(ids, "neither embeddings nor token vectors are asked for");
}

TEST_F(OutputLists, AResultHasWhatTheLastCallAskedFor) {
  lffn_array array;
  EXPECT_EQ(lffn_result_array(result_.get(), LFFN_OUT_EMBEDDINGS, &array), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lffn_last_error()).find("result has no embeddings"), std::string::npos) << lffn_last_error();
  model_.run(lookupffn::Texts{"one", "two"}, {lookupffn::out::embeddings, lookupffn::out::token_ids}, result_);
  const auto embeddings = result_.get(lookupffn::out::embeddings);
  EXPECT_EQ(embeddings.count(), 2u);
  EXPECT_EQ(embeddings.columns, static_cast<size_t>(model_.info().embedding_size));
  EXPECT_EQ(std::vector<float>(embeddings.row(1).begin(), embeddings.row(1).end()), model_.embed({"two"}));
  model_.run(lookupffn::Texts{"one"}, {lookupffn::out::token_ids}, result_);
  EXPECT_THROW(static_cast<void>(result_.get(lookupffn::out::embeddings)), lookupffn::InvalidArgument);
  EXPECT_EQ(lffn_result_array(result_.get(), 0, &array), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_result_array(result_.get(), INT32_MIN, &array), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_result_array(nullptr, 1, &array), LFFN_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(lffn_result_array(result_.get(), 1, nullptr), LFFN_ERROR_INVALID_ARGUMENT);
}

TEST_F(OutputLists, IdsHaveNoPlacesInTexts) {
  const int32_t ids[] = {0, 5, 2};
  const int64_t offsets[] = {0, 3};
  args_.texts = nullptr;
  args_.ids = ids;
  args_.offsets = offsets;
  refused(outputs::kept({LFFN_OUT_TOKEN_BEGINS}), "places in texts are asked for, but no texts are given");
  const std::vector<lffn_output> list = outputs::kept({LFFN_OUT_TOKEN_IDS, LFFN_OUT_TOKEN_TYPES, LFFN_OUT_TOKEN_OFFSETS,
                                                       LFFN_OUT_WINDOW_OFFSETS, LFFN_OUT_UNCUT_LENGTHS});
  args_.outputs = list.data();
  args_.n_outputs = static_cast<int64_t>(list.size());
  ASSERT_EQ(lffn_model_run(model_.get(), &args_), LFFN_OK) << lffn_last_error();
  const outputs::View view(result_.get());
  EXPECT_EQ(std::vector<int32_t>(view.ids, view.ids + 3), std::vector<int32_t>(ids, ids + 3));
  EXPECT_NE(view.ids, ids) << "it is a copy";
  EXPECT_EQ(std::vector<int32_t>(view.token_types, view.token_types + 3), std::vector<int32_t>(3));
  EXPECT_EQ(view.uncut[0], 3);
  EXPECT_EQ(view.text_offsets[1], 1);
}

// Of windows, entities and weights the number is not known before.
TEST_F(OutputLists, AResultTellsUnknownSizesWhereOthersAreTooSmall) {
  const auto model = lookupffn::Model::load(LFFN_SMALL_FOLDERS "/bert-tokens");
  int32_t id = 0;
  const lffn_output list[] = {{LFFN_OUT_TOKEN_IDS, 0, &id, 1}, {LFFN_OUT_ENTITY_SCORES, 0, nullptr, 0}};
  args_.outputs = list;
  args_.n_outputs = 2;
  args_.result = result_.get();
  ASSERT_EQ(lffn_model_run(model.get(), &args_), LFFN_ERROR_TOO_SMALL);
  lffn_array array;
  ASSERT_EQ(lffn_result_array(result_.get(), LFFN_OUT_ENTITY_SCORES, &array), LFFN_OK);
  EXPECT_EQ(result_.get(lookupffn::out::entity_scores).count(), 0u) << "in C++ these are no rows";
  EXPECT_EQ(array.rows, -1);
  ASSERT_EQ(lffn_result_array(result_.get(), LFFN_OUT_TOKEN_IDS, &array), LFFN_OK);
  EXPECT_GT(array.rows, 1);
}

}  // namespace
