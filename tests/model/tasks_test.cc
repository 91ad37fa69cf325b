// SPDX-License-Identifier: Apache-2.0
// Entities, answers and labels: what is refused, what is odd, and what follows from the scores.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "format/file.h"
#include "format/safetensors.h"
#include "hf_folder.h"
#include "lookupffn/lookupffn.hpp"
#include "tests/support/outputs.h"

namespace lffn {
namespace {

// The files of a small folder, to be changed at will.
class Files {
 public:
  explicit Files(const std::string& name) {
    const std::filesystem::path folder = std::string(LFFN_SMALL_FOLDERS) + "/" + name;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const FileBytes file(entry.path().string());
      std::string bytes(file.size(), '\0');
      file.read(0, bytes.size(), bytes.data());
      files_[entry.path().filename().string()] = bytes;
    }
  }

  void configure(const std::string& from, const std::string& to) {
    std::string& config = files_["config.json"];
    const size_t at = config.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    config.replace(at, from.size(), to);
  }
  // Of all numbers of a tensor.
  void fill(const std::string& tensor, float value) {
    std::string& file = files_["model.safetensors"];
    const Safetensors parsed = parse_safetensors(reinterpret_cast<const uint8_t*>(file.data()), file.size());
    const TensorView* view = parsed.find(tensor);
    ASSERT_NE(view, nullptr) << tensor;
    const auto first = static_cast<size_t>(view->data - reinterpret_cast<const uint8_t*>(file.data()));
    for (size_t at = 0; at < view->size; at += sizeof value) std::memcpy(&file[first + at], &value, sizeof value);
  }

  lookupffn::Model load() const {
    std::vector<lffn_file> given;
    for (const auto& [name, bytes] : files_) {
      lffn_file file;
      lffn_file_init(&file);
      file.name = name.c_str();
      file.data = bytes.data();
      file.size = bytes.size();
      given.push_back(file);
    }
    return lookupffn::Model::load_files({given.data(), given.size()});
  }

 private:
  std::map<std::string, std::string> files_;
};

template <typename Call>
void refused(Call&& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const lookupffn::Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

constexpr char kContext[] = "Hello, world! The quick brown fox jumps over the lazy dog.";

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
