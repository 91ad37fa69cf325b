// SPDX-License-Identifier: Apache-2.0
// Language models as rerankers, beside what sentence-transformers gave for the same folders and pairs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "format/folder.h"
#include "format/json_object.h"
#include "lookupffn/lookupffn.hpp"
#include "model/model.h"
#include "model/pair_texts.h"
#include "tests/support/outputs.h"

namespace {

namespace files = std::filesystem;
using lffn::JsonObject;
using lffn::JsonValue;

constexpr double kTolerance = 2e-5;

class Reranker {
 public:
  explicit Reranker(const std::string& name) : path_(std::string(LFFN_SHARED "/golden-hf7/") + name) {}
  bool is_there() const { return files::exists(path_ + "/io.json"); }
  const std::string& path() const { return path_; }
  JsonObject io() const { return JsonObject(lffn::FolderOnDisk(path_, false).read_text("io.json", 1 << 20), path_); }

 private:
  std::string path_;
};

#define SKIP_UNLESS_THERE(golden) \
  if (!(golden).is_there()) GTEST_SKIP() << (golden).path() << " is not beside the project"

struct Pairs {
  std::vector<const char*> queries, documents;
  std::vector<size_t> query_sizes, document_sizes;
  explicit Pairs(const JsonValue& pairs) {
    for (const JsonValue& pair : pairs.items) {
      queries.push_back(pair.items[0].scalar.text.data());
      query_sizes.push_back(pair.items[0].scalar.text.size());
      documents.push_back(pair.items[1].scalar.text.data());
      document_sizes.push_back(pair.items[1].scalar.text.size());
    }
  }
  lffn_model_run_args args() const {
    lffn_model_run_args result;
    lffn_model_run_args_init(&result);
    result.n = static_cast<int64_t>(queries.size());
    result.texts = queries.data();
    result.text_sizes = query_sizes.data();
    result.pairs = documents.data();
    result.pair_sizes = document_sizes.data();
    outputs::keep(result, outputs::kClassScores | outputs::kIds);
    return result;
  }
};

outputs::View run(const lookupffn::Model& model, lffn_model_run_args args, lookupffn::Result& result) {
  args.result = result.get();
  model.run(args);
  return outputs::View(result.get());
}

double number_of(const JsonValue& value) { return value.scalar.number; }

void expect_near(const float* got, const JsonValue& expected, const std::string& what) {
  for (size_t i = 0; i < expected.items.size(); ++i) {
    EXPECT_NEAR(double{got[i]}, number_of(expected.items[i]), kTolerance) << what << " of pair " << i;
  }
}

void expect_same_ids(const outputs::View& view, const JsonValue& expected) {
  for (size_t i = 0; i < expected.items.size(); ++i) {
    std::vector<int32_t> wanted;
    for (const JsonValue& id : expected.items[i].items) wanted.push_back(static_cast<int32_t>(id.scalar.integer));
    EXPECT_EQ(std::vector<int32_t>(view.ids + view.offsets[i], view.ids + view.offsets[i + 1]), wanted) << i;
  }
}

class LanguageModels : public testing::TestWithParam<const char*> {};

TEST_P(LanguageModels, ScoreAsTheirLibraryDoes) {
  const Reranker golden(GetParam());
  SKIP_UNLESS_THERE(golden);
  const JsonObject io = golden.io();
  const lookupffn::Model model = lookupffn::Model::load(golden.path());
  EXPECT_EQ(model.info().num_classes, 1);
  const Pairs pairs(*io.value("pairs"));
  lookupffn::Result result;
  lffn_model_run_args args = pairs.args();
  const outputs::View view = run(model, args, result);
  expect_same_ids(view, *io.value("ids"));
  expect_near(view.class_scores, *io.value("logits"), "logits");
  std::vector<float> scores(view.class_scores, view.class_scores + pairs.queries.size());
  const std::vector<float> raw = scores;
  model.activate(LFFN_SCORES_MODEL, scores);
  expect_near(scores.data(), *io.value("scores"), "scores");
  for (size_t i = 0; i < io.root().names.size(); ++i) {
    const std::string& name = io.root().names[i];
    const std::string named = "scores.prompt.", written = "scores.prompt=";
    const bool is_named = name.compare(0, named.size(), named) == 0;
    if (!is_named && name.compare(0, written.size(), written) != 0) continue;
    const std::string prompt = name.substr(named.size());
    args.prompt_kind = is_named ? LFFN_PROMPT_NAMED : LFFN_PROMPT_TEXT;
    args.prompt = prompt.data();
    args.prompt_size = prompt.size();
    const outputs::View prompted = run(model, args, result);
    scores.assign(prompted.class_scores, prompted.class_scores + pairs.queries.size());
    model.activate(LFFN_SCORES_MODEL, scores);
    expect_near(scores.data(), io.root().items[i], name);
  }
  // On one thread, alone, and out of a single file: the same bits.
  args = pairs.args();
  args.num_threads = 1;
  const outputs::View single = run(model, args, result);
  EXPECT_EQ(std::vector<float>(single.class_scores, single.class_scores + raw.size()), raw);
  const std::string saved = testing::TempDir() + "/rerank_test." + std::to_string(getpid());
  model.save(saved);
  const lookupffn::Model again = lookupffn::Model::load(saved);
  std::remove(saved.c_str());
  const outputs::View same = run(again, pairs.args(), result);
  EXPECT_EQ(std::vector<float>(same.class_scores, same.class_scores + raw.size()), raw);
  scores = raw;
  again.activate(LFFN_SCORES_MODEL, scores);
  expect_near(scores.data(), *io.value("scores"), "scores of the saved model");
}

INSTANTIATE_TEST_SUITE_P(Golden, LanguageModels, testing::Values("cross-logit", "cross-logit-one"),
                         [](const auto& info) { return info.param[11] == '\0' ? "YesLessNo" : "YesAlone"; });

TEST(LanguageModel, RendersPairsAsTheReferenceDoes) {
  for (const char* name : {"cross-logit", "cross-logit-one"}) {
    const Reranker golden(name);
    SKIP_UNLESS_THERE(golden);
    const JsonObject io = golden.io();
    const auto model = lffn::load_model(golden.path(), lffn::ModelLoadOptions(), lffn::usable_kernels());
    lffn::PairTexts texts;
    const int32_t prompt = model->sentence().default_prompt;
    texts.start(*model, prompt < 0 ? "" : model->sentence().prompts[static_cast<size_t>(prompt)].second, false,
                nullptr);
    const JsonValue& pairs = *io.value("pairs");
    for (size_t i = 0; i < pairs.items.size(); ++i) {
      const auto& pair = pairs.items[i].items;
      EXPECT_EQ(texts.render(pair[0].scalar.text, pair[1].scalar.text, "query", "document"),
                io.value("rendered")->items[i].scalar.text);
    }
  }
}

// A copy of a golden folder with some files written anew.
class Copy {
 public:
  explicit Copy(const std::string& from) : path_(testing::TempDir() + "/rerank_copy." + std::to_string(getpid())) {
    files::remove_all(path_);
    files::copy(from, path_, files::copy_options::recursive);
    for (const auto& each : files::recursive_directory_iterator(path_)) {
      files::permissions(each.path(), files::perms::owner_all, files::perm_options::add);
    }
    files::permissions(path_, files::perms::owner_all, files::perm_options::add);
  }
  ~Copy() { files::remove_all(path_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ + "/" + name) << text; }
  void remove(const std::string& name) const { files::remove_all(path_ + "/" + name); }
  const std::string& path() const { return path_; }
  std::string failure() const {
    try {
      lookupffn::Model::load(path_);
    } catch (const lookupffn::Error& error) {
      return error.what();
    }
    return "it loads";
  }

 private:
  std::string path_;
};

std::string bert_config(const std::string& rest) {
  return R"({"transformer_task": "text-generation", "module_output_name": "causal_logits", "modality_config":
            {"text": {"method": "forward"}, "message": {"method": "forward")" +
         rest;
}

float score_of(const std::string& path) {
  const lookupffn::Model model = lookupffn::Model::load(path);
  const char* const query = "what is a fox";
  const char* const document = "The fox jumps.";
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = 1;
  args.texts = &query;
  args.pairs = &document;
  outputs::keep(args, outputs::kClassScores);
  lookupffn::Result result;
  return run(model, args, result).class_scores[0];
}

TEST(LanguageModel, ReadsItsTemplateWhereverItIs) {
  const Reranker golden("cross-logit");
  SKIP_UNLESS_THERE(golden);
  const Copy copy(golden.path());
  const float expected = score_of(copy.path());
  const std::string source = lffn::FolderOnDisk(copy.path(), false).read_text("chat_template.jinja", 1 << 20);
  std::string quoted, config = lffn::FolderOnDisk(copy.path(), false).read_text("tokenizer_config.json", 1 << 20);
  lffn::append_json_string(quoted, source);
  const size_t end = config.rfind('}');
  copy.remove("chat_template.jinja");
  EXPECT_NE(copy.failure().find("there is no chat template; add"), std::string::npos) << copy.failure();
  copy.write("tokenizer_config.json", config.substr(0, end) + ", \"chat_template\": " + quoted + "}");
  EXPECT_EQ(score_of(copy.path()), expected);
  copy.write("tokenizer_config.json",
             config.substr(0, end) +
                 R"(, "chat_template": [{"name": "tool", "template": "x"}, {"name": "default", "template": )" + quoted +
                 "}]}");
  EXPECT_EQ(score_of(copy.path()), expected);
  // Content in lists, and a value of the folder's own.
  copy.write("chat_template.jinja",
             "{%- if add_generation_prompt -%}A{% endif %}{{ messages[0].content[0].text }}{{ eos_token }}"
             "{{ messages[1]['content'][0]['text'] }}");
  copy.write("sentence_bert_config.json",
             bert_config("}}, \"processing_kwargs\": {\"chat_template\": {\"add_generation_prompt\": true}}}"));
  const float structured = score_of(copy.path());
  copy.write("chat_template.jinja", "A{{ messages[0].content }}<|im_end|>{{ messages[1].content }}");
  copy.write("sentence_bert_config.json", bert_config("}}}"));
  EXPECT_EQ(score_of(copy.path()), structured);
}

TEST(LanguageModel, SaysWhatItCannotRun) {
  const Reranker golden("cross-logit");
  SKIP_UNLESS_THERE(golden);
  const Copy copy(golden.path());
  const auto expect = [&](const std::string& part) {
    const std::string failure = copy.failure();
    EXPECT_NE(failure.find(part), std::string::npos) << failure;
  };
  const std::string source = lffn::FolderOnDisk(copy.path(), false).read_text("chat_template.jinja", 1 << 20);
  copy.write("chat_template.jinja", "{{ messages[0].content }}");
  expect("does not show a message of the role 'query' and one of the role 'document'");
  copy.write("chat_template.jinja", "{% include 'x' %}");
  expect("chat template, line 1: the statement 'include' is not supported");
  copy.write("chat_template.jinja", source);
  copy.write("1_LogitScore/config.json", R"({"true_token_id": 537, "false_token_id": null})");
  expect("LogitScore names the token 537, but vocab_size is 537");
  copy.write("1_LogitScore/config.json", R"({"true_token_id": -1})");
  expect("'true_token_id' must be a whole number");
  copy.write("1_LogitScore/config.json", "{}");
  expect("true_token_id");
  copy.write("1_LogitScore/config.json", R"({"true_token_id": 1, "module_input_name": "token_embeddings"})");
  expect("module_input_name");
  copy.write("1_LogitScore/config.json", R"({"true_token_id": 1})");
  copy.write("sentence_bert_config.json", bert_config("}}, \"processing_kwargs\": {\"text\": {\"stride\": 2}}}"));
  expect("'stride' in 'processing_kwargs' is not supported; take it out");
  copy.write("sentence_bert_config.json", bert_config("}}}"));
  EXPECT_EQ(copy.failure(), "it loads");
  const lookupffn::Model model = lookupffn::Model::load(copy.path());
  const char* const text = "a text alone";
  lffn_model_run_args args;
  lffn_model_run_args_init(&args);
  args.n = 1;
  args.texts = &text;
  outputs::keep(args, outputs::kClassScores);
  lookupffn::Result result;
  try {
    run(model, args, result);
    ADD_FAILURE() << "it scores a text alone";
  } catch (const lookupffn::Error& error) {
    EXPECT_NE(std::string(error.what()).find("give both"), std::string::npos) << error.what();
  }
}

// A template may end in other tokens, or in none of its own.
TEST(LanguageModel, KeepsTheEndOfItsTemplateWhereItCuts) {
  const Reranker golden("cross-logit");
  SKIP_UNLESS_THERE(golden);
  const Copy copy(golden.path());
  const std::string longer(3000, 'x');
  const char* const query = "fox";
  const char* const document = longer.c_str();
  const auto last_ids = [&](int64_t most) {
    const lookupffn::Model model = lookupffn::Model::load(copy.path());
    lffn_model_run_args args;
    lffn_model_run_args_init(&args);
    args.n = 1;
    args.texts = &query;
    args.pairs = &document;
    args.max_tokens = most;
    outputs::keep(args, outputs::kClassScores | outputs::kIds);
    lookupffn::Result result;
    const outputs::View view = run(model, args, result);
    return std::vector<int32_t>(view.ids, view.ids + view.offsets[1]);
  };
  const std::vector<int32_t> ids = last_ids(40);
  ASSERT_EQ(ids.size(), 40u);
  const std::vector<int32_t> ending = {2, 201, 1, 502, 388, 430, 201, 530, 201, 201, 531, 201, 201};
  EXPECT_EQ(std::vector<int32_t>(ids.end() - static_cast<ptrdiff_t>(ending.size()), ids.end()), ending);
  EXPECT_EQ(last_ids(3), std::vector<int32_t>(ending.end() - 3, ending.end()));
  copy.write("chat_template.jinja", "{{ messages[0].content }} {{ messages[1].content }}");
  EXPECT_EQ(last_ids(40).back(), last_ids(41).back());
}

TEST(Rerank, GivesTheScoresOfPairsAndTheirOrder) {
  const lookupffn::Model model = lookupffn::Model::load(LFFN_SMALL_FOLDERS "/bert-reranker");
  const std::vector<std::string> documents = {"a b c", "the end", "", "the end"};
  const std::vector<float> scores = model.rerank("a question", documents);
  std::vector<const char*> texts;
  for (const std::string& document : documents) texts.push_back(document.c_str());
  lffn_model_rerank_args args;
  lffn_model_rerank_args_init(&args);
  args.query = "a question";
  args.documents = texts.data();
  args.n_documents = 4;
  std::vector<float> found(4);
  std::vector<int64_t> order(4);
  const lffn_output outputs[] = {{LFFN_OUT_DOCUMENT_SCORES, 0, found.data(), 4},
                                 {LFFN_OUT_DOCUMENT_ORDER, 0, order.data(), 4}};
  args.outputs = outputs;
  args.n_outputs = 2;
  ASSERT_EQ(lffn_model_rerank(model.get(), &args), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(found, scores);
  // A query of no bytes may lie nowhere.
  args.query = nullptr;
  args.query_size = 0;
  ASSERT_EQ(lffn_model_rerank(model.get(), &args), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(found, model.rerank("", documents));
  args.query = "a question";
  args.query_size = SIZE_MAX;
  ASSERT_EQ(lffn_model_rerank(model.get(), &args), LFFN_OK) << lffn_last_error();
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_GE(scores[static_cast<size_t>(order[i - 1])], scores[static_cast<size_t>(order[i])]);
  }
  texts[2] = "\xff";
  EXPECT_EQ(lffn_model_rerank(model.get(), &args), LFFN_ERROR_BAD_TEXT);
  EXPECT_NE(std::string(lffn_last_error()).find("document 2"), std::string::npos) << lffn_last_error();
  args.flags = LFFN_RUN_REPAIR_TEXT;
  EXPECT_EQ(lffn_model_rerank(model.get(), &args), LFFN_OK);
  args.reserved = 1;
  EXPECT_EQ(lffn_model_rerank(model.get(), &args), LFFN_ERROR_INVALID_ARGUMENT);
  const lookupffn::Model other = lookupffn::Model::load(LFFN_MODEL_DATA "/model-lookup");
  args.reserved = 0;
  EXPECT_EQ(lffn_model_rerank(other.get(), &args), LFFN_ERROR_INVALID_ARGUMENT);
}

}  // namespace
