// SPDX-License-Identifier: Apache-2.0
// A model, a result, and the arguments of a call.
#ifndef LFFN_TESTS_RUN_RUN_FIXTURE_H_
#define LFFN_TESTS_RUN_RUN_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/support/model_told.h"
#include "tests/support/outputs.h"

using Floats = std::vector<float>;
using Places = std::vector<int64_t>;

class OneModel : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(lffn_model_load(LFFN_MODEL_DATA "/model-lookup", nullptr, &model_), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(model_told::get(model_, info_), LFFN_OK);
    ASSERT_EQ(lffn_result_create(&result_), LFFN_OK);
    lffn_model_run_args_init(&args_);
  }
  void TearDown() override {
    lffn_result_free(result_);
    lffn_model_free(model_);
    EXPECT_EQ(lffn_live_handles(), 0);
  }
  outputs::View view() const { return outputs::View(result_); }
  void refused(const std::string& part, lffn_status status = LFFN_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(lffn_model_run(model_, &args_), status);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
  }

  lffn_model* model_ = nullptr;
  lffn_result* result_ = nullptr;
  model_told::Info info_ = {};
  lffn_model_run_args args_;
};

// Three texts, and nothing wanted yet.
class Run : public OneModel {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(OneModel::SetUp());
    args_.texts = texts_;
    args_.n = 3;
  }

  const char* texts_[3] = {"The quick <mask> fox", "", "x <mask> y <mask>"};
};

// Texts and what is wanted of them come with each call.
class Wanted : public OneModel {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(OneModel::SetUp());
    for (int i = 0; i < 40; ++i) long_ += "word" + std::to_string(i) + " and ";
    args_.result = result_;
  }
  outputs::View run(const std::vector<const char*>& texts, uint32_t wanted) {
    texts_ = texts;
    args_.texts = texts_.data();
    args_.n = static_cast<int64_t>(texts_.size());
    outputs::keep(args_, wanted);
    EXPECT_EQ(lffn_model_run(model_, &args_), LFFN_OK) << lffn_last_error();
    return view();
  }
  Floats embeddings(const std::vector<const char*>& texts) {
    const outputs::View view = run(texts, outputs::kEmbeddings);
    return Floats(view.embeddings, view.embeddings + static_cast<int64_t>(texts.size()) * view.embedding_size);
  }

  std::vector<const char*> texts_;
  std::string long_;
};

#endif
