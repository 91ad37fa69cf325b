// SPDX-License-Identifier: Apache-2.0
// Entities: what is refused, what is odd, and what follows from the scores.
#include <gtest/gtest.h>

#include "tests/support/changed_folder.h"
#include "tests/support/outputs.h"

namespace lffn {
namespace {

TEST(Entities, AreTheSameAloneAndAmongOthers) {
  const auto model = Files("bert-tokens").load();
  const std::vector<std::string> texts = {"", "Hello, world!", "naïve café", " \t ", kContext};
  const auto together = model.entities(texts);
  ASSERT_EQ(together.size(), texts.size());
  EXPECT_TRUE(together[0].empty());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto alone = model.entities({texts[i]})[0];
    ASSERT_EQ(alone.size(), together[i].size());
    for (size_t e = 0; e < alone.size(); ++e) {
      EXPECT_EQ(alone[e].label, together[i][e].label);
      EXPECT_EQ(alone[e].score, together[i][e].score);
      EXPECT_LE(alone[e].begin, alone[e].end);
      EXPECT_LE(alone[e].end, texts[i].size());
    }
  }
}

TEST(Entities, OddLabels) {
  Files files("bert-tokens");
  files.configure("\"B-PER\"", "\"I-B-x-ü\"");
  files.configure("\"I-PER\"", "\"-\"");
  const auto model = files.load();
  const auto found = model.entities({kContext})[0];
  for (const lookupffn::Entity& entity : found) {
    EXPECT_TRUE(entity.label == "MISC" || entity.label == "B-x-ü" || entity.label.empty()) << entity.label;
  }
}

TEST(Entities, WithTheLabelOThereIsNothingLeftOut) {
  const auto model = Files("bert-tokens").load();
  lookupffn::Result result;
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  const lookupffn::Texts texts = {kContext};
  texts.give(args);
  outputs::keep(args, outputs::kEntities | outputs::kIds | outputs::kTokenScores);
  args.aggregation = LFFN_AGGREGATION_NONE;
  args.flags = LFFN_RUN_ALL_LABELS;
  args.result = result.get();
  model.run(args);
  const outputs::View view(result.get());
  EXPECT_EQ(view.entity_offsets[1], view.n_tokens - 2) << "all but the two special ones";
  for (int64_t e = 0; e < view.entity_offsets[1]; ++e) {
    EXPECT_STREQ(lffn_model_label(model.get(), view.entity_classes[e]),
                 std::string(model.label(view.entity_classes[e])).c_str());
  }
}

TEST(Entities, ScoresThatAreNoNumbers) {
  Files files("bert-tokens");
  files.fill("classifier.weight", 3e38f);
  const auto model = files.load();
  for (int32_t how = LFFN_AGGREGATION_SIMPLE; how <= LFFN_AGGREGATION_MAX; ++how) {
    EXPECT_TRUE(model.entities({kContext}, how)[0].empty()) << "the first of what is no number is O";
  }
}

TEST(Entities, WhatIsRefused) {
  const auto model = Files("bert-tokens").load();
  refused([&] { model.entities({kContext}, 5); }, "aggregation is 5");
  refused([&] { model.entities({kContext}, -1); }, "aggregation is -1");
  lookupffn::RunOptions options;
  options.prompt_kind = LFFN_PROMPT_TEXT;
  options.prompt = "a";
  refused([&] { model.entities({kContext}, 0, options); }, "pairs or a prompt are given; leave these out");
  lookupffn::Texts pairs;
  pairs.add("a", "b");
  refused([&] { model.entities(pairs); }, "pairs or a prompt are given; leave these out");
  refused([&] { model.entities({std::string_view("\xff", 1)}); }, "not valid UTF-8");
  std::string long_text;
  for (int i = 0; i < 100; ++i) long_text += "a ";
  EXPECT_NO_THROW(model.entities({long_text}));
  lookupffn::RunOptions whole;
  whole.max_tokens = LFFN_MAX_TOKENS_NEVER;
  refused([&] { model.entities({long_text}, 0, whole); }, "the model can run at most");
  refused([&] { Files("bert-classes").load().entities({kContext}); }, "no classes of tokens");
  refused([&] { model.answer("a", "b"); }, "no head for answers");
}

}  // namespace
}  // namespace lffn
