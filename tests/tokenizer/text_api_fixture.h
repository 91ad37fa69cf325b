// SPDX-License-Identifier: Apache-2.0
// A golden model, and its tokens by the functions on text.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "tests/support/model_told.h"
#include "tests/support/short_calls.h"

using Ids = std::vector<int32_t>;
using Floats = std::vector<float>;

const std::string kData = LFFN_MODEL_DATA;
constexpr uint32_t kSpecial = 0, kBare = LFFN_ENCODE_SKIP_SPECIAL;

class Text : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(lffn_model_load((kData + "/model-lookup").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
    ASSERT_EQ(model_told::get(model_, info_), LFFN_OK);
  }
  void TearDown() override { lffn_model_free(model_); }

  Ids tokenize(const lffn_model* model, const std::string& text, uint32_t flags) {
    int64_t count = 0;
    EXPECT_EQ(short_calls::tokenize(model, text.data(), text.size(), flags, nullptr, nullptr, nullptr, 0, &count),
              LFFN_OK);
    Ids ids(static_cast<size_t>(count) + 1, -7);
    EXPECT_EQ(
        short_calls::tokenize(model, text.data(), text.size(), flags, ids.data(), nullptr, nullptr, count, &count),
        LFFN_OK);
    EXPECT_EQ(ids.back(), -7);
    ids.pop_back();
    return ids;
  }
  Ids tokenize(const std::string& text, uint32_t flags) { return tokenize(model_, text, flags); }

  // Expects a refusal with this sentence.
  static void refused(lffn_status status, const std::string& message,
                      lffn_status expected = LFFN_ERROR_INVALID_ARGUMENT) {
    EXPECT_EQ(status, expected);
    EXPECT_EQ(lffn_last_error(), message);
  }

  lffn_model* model_ = nullptr;
  model_told::Info info_ = {};
};
