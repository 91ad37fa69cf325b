// SPDX-License-Identifier: Apache-2.0
// Options of the C++ interface that would have no effect are refused.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"

namespace {

using lookupffn::InvalidArgument;
using lookupffn::Model;
using lookupffn::RunOptions;

class Options : public testing::Test {
 protected:
  const Model model_ = Model::load(LFFN_LATE_FOLDERS "/late-pylate");
  const lookupffn::Texts texts_ = {"a fox", "a dog"};
};

TEST_F(Options, APromptNeedsAKindThatTakesOne) {
  RunOptions options;
  options.prompt = "query: ";
  for (const int32_t kind : {LFFN_PROMPT_MODEL, LFFN_PROMPT_NONE, LFFN_PROMPT_QUERY, LFFN_PROMPT_DOCUMENT}) {
    options.prompt_kind = kind;
    EXPECT_THROW(model_.embed(texts_, options), InvalidArgument) << kind;
    EXPECT_THROW(model_.embed_int8(texts_, options), InvalidArgument) << kind;
    EXPECT_THROW(model_.embed_late(texts_, options), InvalidArgument) << kind;
    EXPECT_THROW(model_.count_tokens(texts_, options), InvalidArgument) << kind;
  }
  options.prompt_kind = LFFN_PROMPT_TEXT;
  EXPECT_EQ(model_.embed(texts_, options), model_.embed({"query: a fox", "query: a dog"}));
  options.prompt = "";  // an empty one is none
  EXPECT_EQ(model_.embed(texts_, options), model_.embed(texts_));
  options.prompt_kind = LFFN_PROMPT_MODEL;
  EXPECT_EQ(model_.embed(texts_, options), model_.embed(texts_));
}

TEST_F(Options, OfRerankingByALateModel) {
  const std::vector<std::string> documents = {"a fox", "the lazy dog"};
  const std::vector<float> scores = model_.rerank("fox", documents);
  const std::vector<std::function<void(RunOptions&)>> without_effect = {
      [](RunOptions& to) { to.reading = LFFN_READING_PLAIN; },
      [](RunOptions& to) { to.prompt_kind = LFFN_PROMPT_NONE; },
      [](RunOptions& to) { to.prompt = "x"; },
      [](RunOptions& to) { to.pooling = LFFN_POOLING_MEAN; },
      [](RunOptions& to) { to.normalize = LFFN_NORMALIZE_NO; },
      [](RunOptions& to) { to.dimensions = 4; },
      [](RunOptions& to) { to.windows = LFFN_WINDOWS_EACH; },
      [](RunOptions& to) { to.stride = 1; },
      [](RunOptions& to) { to.max_active = 3; },
      [](RunOptions& to) { to.min_weight = 0.5f; },
      [](RunOptions& to) { to.progress = [](int64_t, int64_t, void*) {}; },
  };
  for (size_t i = 0; i < without_effect.size(); ++i) {
    RunOptions options;
    without_effect[i](options);
    EXPECT_THROW(model_.rerank("fox", documents, options), InvalidArgument) << i;
  }
  RunOptions options;
  options.prompt_kind = LFFN_PROMPT_DOCUMENT;  // which they have anyway
  options.num_threads = 1;
  options.repair_text = true;
  EXPECT_EQ(model_.rerank("fox", documents, options), scores);
}

TEST_F(Options, APairBelongsToItsText) {
  const lookupffn::Tokenizer tokenizer = model_.tokenizer();
  lookupffn::TokenizeOptions options;
  options.pair = "a dog";
  EXPECT_THROW(static_cast<void>(tokenizer.encode_batch(texts_, options)), InvalidArgument);
  EXPECT_GT(tokenizer.encode("a fox", options).ids.size(), tokenizer.encode("a fox").ids.size());
}

}  // namespace
