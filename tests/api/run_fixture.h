// SPDX-License-Identifier: Apache-2.0
// A model, a result and the arguments of a call.
#ifndef LFFN_TESTS_API_RUN_FIXTURE_H_
#define LFFN_TESTS_API_RUN_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"

using Floats = std::vector<float>;

class Run : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(lffn_model_load(LFFN_MODEL_DATA "/model-lookup", nullptr, &model_), LFFN_OK) << lffn_last_error();
    lffn_model_info_init(&info_);
    ASSERT_EQ(lffn_model_get_info(model_, &info_), LFFN_OK);
    ASSERT_EQ(lffn_result_create(&result_), LFFN_OK);
    lffn_model_run_args_init(&args_);
    args_.texts = texts_;
    args_.n = 3;
  }
  void TearDown() override {
    lffn_result_free(result_);
    lffn_model_free(model_);
    EXPECT_EQ(lffn_live_handles(), 0);
  }
  lffn_result_view view() const {
    lffn_result_view view;
    lffn_result_view_init(&view);
    EXPECT_EQ(lffn_result_get(result_, &view), LFFN_OK);
    return view;
  }
  void refused(const std::string& part, lffn_status status = LFFN_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(lffn_model_run(model_, &args_), status);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error();
  }

  const char* texts_[3] = {"The quick <mask> fox", "", "x <mask> y <mask>"};
  lffn_model* model_ = nullptr;
  lffn_result* result_ = nullptr;
  lffn_model_info info_;
  lffn_model_run_args args_;
};

#endif
