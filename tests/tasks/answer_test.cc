// SPDX-License-Identifier: Apache-2.0
// Answers: what is refused, what is odd, and how contexts are cut.
#include <gtest/gtest.h>

#include "tests/support/changed_folder.h"

namespace lffn {
namespace {

TEST(Answers, WindowsThatFitAreOne) {
  const auto model = Files("bert-answers").load();
  lookupffn::AnswerOptions options;
  options.top_k = 4;
  const auto whole = model.answer("Who?", kContext, options);
  options.max_tokens = LFFN_MAX_TOKENS_NEVER;
  options.stride = 1000;
  const auto never_cut = model.answer("Who?", kContext, options);
  ASSERT_EQ(whole.size(), 4u);
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i].score, never_cut[i].score);
    EXPECT_TRUE(i == 0 || whole[i - 1].score >= whole[i].score);
  }
}

TEST(Answers, LongerThanAllWindows) {
  const auto model = Files("bert-answers").load();
  std::string context;
  for (int i = 0; i < 200; ++i) context += kContext;
  lookupffn::AnswerOptions options;
  options.max_tokens = 20;
  options.stride = 3;
  options.top_k = 2;
  const auto answers = model.answer("Who?", context, options);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_LE(answers[0].end, context.size());
  options.max_tokens = LFFN_MAX_TOKENS_NEVER;
  refused([&] { model.answer("Who?", context, options); }, "the model can run at most");
}

TEST(Answers, NoneAndNothing) {
  const auto model = Files("bert-answers").load();
  EXPECT_TRUE(model.answer("Who?", "").empty());
  lookupffn::AnswerOptions options;
  options.may_be_none = true;
  options.top_k = 3;
  const auto none = model.answer("Who?", "", options);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].end, 0u);
  EXPECT_EQ(none[0].score, 1.0f);
  EXPECT_EQ(model.answer("", kContext, options).size(), 3u);
}

TEST(Answers, ScoresThatAreNoNumbers) {
  Files files("bert-answers");
  files.fill("qa_outputs.weight", 3e38f);
  EXPECT_TRUE(files.load().answer("Who?", kContext).empty());
}

TEST(Answers, WhatIsRefused) {
  const auto model = Files("bert-answers").load();
  const auto with = [&](auto&& change, const std::string& part) {
    lookupffn::AnswerOptions options;
    change(options);
    refused([&] { model.answer("Who?", kContext, options); }, part);
  };
  with([](auto& options) { options.top_k = 0; }, "top_k is 0");
  with([](auto& options) { options.max_answer_tokens = 0; }, "max_answer_tokens is 0");
  with([](auto& options) { options.stride = -2; }, "stride is -2");
  with([](auto& options) { options.max_tokens = -2; }, "max_tokens is -2");
  with([](auto& options) { options.max_tokens = 5, options.stride = 0; }, "leaves no room in 5");
  with([](auto& options) { options.max_tokens = 16, options.stride = 16; }, "stride is 16, a window has only");
  refused([&] { model.answer(std::string_view("\xff", 1), kContext); }, "question is not valid UTF-8");
  refused([&] { model.answer("Who?", std::string_view("\xff", 1)); }, "context is not valid UTF-8");
  refused([&] { model.entities({kContext}); }, "no classes of tokens");
  lookupffn::CancelFlag cancel;
  cancel.cancel();
  lookupffn::AnswerOptions options;
  options.cancel = &cancel;
  EXPECT_THROW(model.answer("Who?", kContext, options), lookupffn::Cancelled);
}

}  // namespace
}  // namespace lffn
