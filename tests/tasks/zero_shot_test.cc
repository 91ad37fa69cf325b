// SPDX-License-Identifier: Apache-2.0
// Labels never learned: what is refused, and what follows from the scores of pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/support/changed_folder.h"

namespace lffn {
namespace {

lookupffn::Model entailing(const char* labels) {
  Files files("bert-classes");
  files.configure("{", std::string("{\"label2id\":") + labels + ",");
  return files.load();
}

TEST(ZeroShot, FollowsFromTheScoresOfPairs) {
  for (const auto& [labels, entailed, contradicted] :
       {std::tuple{"{\"no\":0,\"ENTAILMENT\":1}", 1, 0}, std::tuple{"{\"entails\":0,\"no\":1}", 0, 1}}) {
    const auto model = entailing(labels);
    ASSERT_EQ(model.info().num_classes, 2);
    const std::vector<std::string> candidates = {"a fox", "", "a dog", "world"};
    lookupffn::Texts pairs;
    std::vector<std::string> hypotheses;
    for (const std::string& label : candidates) hypotheses.push_back("Is it " + label + "?");
    for (const std::string& hypothesis : hypotheses) pairs.add(kContext, hypothesis);
    const std::vector<float> scores = model.classify(pairs);
    lookupffn::ZeroShotOptions options;
    options.hypothesis = "Is it {}?";
    for (const bool several : {false, true}) {
      options.several = several;
      const auto found = model.zero_shot(kContext, candidates, options);
      ASSERT_EQ(found.size(), candidates.size());
      double sum = 0, all = 0;
      for (size_t i = 0; i < candidates.size(); ++i) all += std::exp(double{scores[2 * i + entailed]});
      for (size_t place = 0; place < found.size(); ++place) {
        EXPECT_TRUE(place == 0 || found[place - 1].score >= found[place].score);
        const auto i = static_cast<size_t>(std::find(candidates.begin(), candidates.end(), found[place].label) -
                                           candidates.begin());
        const double e = std::exp(double{scores[2 * i + entailed]}), c = std::exp(double{scores[2 * i + contradicted]});
        EXPECT_NEAR(found[place].score, several ? e / (e + c) : e / all, 1e-6);
        sum += found[place].score;
      }
      EXPECT_TRUE(several || std::fabs(sum - 1) < 1e-5) << sum;
    }
    // One label alone is weighed against its contrary.
    options.several = true;
    const float alone = model.zero_shot(kContext, {"a fox"}, options)[0].score;
    options.several = false;
    EXPECT_EQ(model.zero_shot(kContext, {"a fox"}, options)[0].score, alone);
    EXPECT_TRUE(model.zero_shot(kContext, {}).empty());
    // A text of no bytes may lie nowhere.
    EXPECT_EQ(model.zero_shot({}, {"a fox"}, options)[0].score, model.zero_shot("", {"a fox"}, options)[0].score);
  }
}

TEST(ZeroShot, OnlyTheTextIsCut) {
  const auto model = entailing("{\"no\":0,\"entailment\":1}");
  lookupffn::ZeroShotOptions options;
  options.hypothesis = "{}";
  options.max_tokens = 10;
  const auto cut = model.zero_shot(kContext, {"dog", "fox"}, options);
  EXPECT_EQ(cut.size(), 2u);
  options.max_tokens = 5;
  refused([&] { model.zero_shot(kContext, {"dog dog dog dog dog"}, options); },
          "leaves no room for the first one in 5");
}

TEST(ZeroShot, WhatIsRefused) {
  const auto model = entailing("{\"no\":0,\"entailment\":1}");
  lookupffn::ZeroShotOptions options;
  for (const char* hypothesis : {"", "none", "{} and {}", "{ }"}) {
    options.hypothesis = hypothesis;
    refused([&] { model.zero_shot(kContext, {"a"}, options); }, "must have one {}");
  }
  options.hypothesis.assign("Is it {}?\0Or {}?", 16);  // it has a size, and does not end at the zero byte
  refused([&] { model.zero_shot(kContext, {"a"}, options); }, "must have one {}");
  refused([&] { model.zero_shot(kContext, {std::string("\xff")}); }, "not valid UTF-8");
  refused([&] { Files("bert-classes").load().zero_shot(kContext, {"a"}); }, "no classifier with a class of entailment");
  refused([&] { entailing("{\"entailment\":7}").zero_shot(kContext, {"a"}); }, "no classifier with a class of");
  refused([&] { Files("bert-tokens").load().zero_shot(kContext, {"a"}); }, "no classifier with a class of");
}

}  // namespace
}  // namespace lffn
