// SPDX-License-Identifier: Apache-2.0
// Sentence encoders: modules.json and what it names.
#include "model/config/sentence_settings.h"
#include "model/text_batch.h"
#include "sentence_maker.h"

namespace lffn {
namespace {

TEST(Sentence, WithoutModulesTheMeanScaledToOne) {
  const auto model = MadeFolder("roberta-classes").load();
  EXPECT_FALSE(model->sentence().is_sentence_encoder);
  EXPECT_EQ(model->embedding_size(std::nullopt), kHidden);
  const std::vector<float> hidden = hidden_of(*model);
  std::vector<double> first = pooled(hidden, 0, Pooling::kMean), second = pooled(hidden, 1, Pooling::kMean);
  scale(first);
  scale(second);
  expect_near(embeddings_of(*model), first, second);
}

TEST(Sentence, EveryPooling) {
  SentenceMaker folder;
  const struct {
    const char* name;
    Pooling pooling;
  } kModes[] = {{"cls_token", Pooling::kFirst},
                {"max_tokens", Pooling::kMax},
                {"mean_tokens", Pooling::kMean},
                {"mean_sqrt_len_tokens", Pooling::kMeanSqrtLength},
                {"weightedmean_tokens", Pooling::kWeightedMean},
                {"lasttoken", Pooling::kLast}};
  const std::vector<float> hidden = hidden_of(*folder.load());
  for (const auto& mode : kModes) {
    folder.pooling({mode.name});
    const auto model = folder.load();
    expect_near(embeddings_of(*model), pooled(hidden, 0, mode.pooling), pooled(hidden, 1, mode.pooling));
    // Asked for by a call it is the same, whatever the files say.
    folder.pooling({"max_tokens"});
    EXPECT_EQ(embeddings_of(*folder.load(), [&](ModelCall& call) { call.pooling = mode.pooling; }),
              embeddings_of(*model));
  }
  // Several at once lie one behind the other, in an order of their own.
  folder.pooling(
      {"mean_tokens", "cls_token", "lasttoken", "mean_sqrt_len_tokens", "weightedmean_tokens", "max_tokens"});
  const auto model = folder.load();
  EXPECT_EQ(model->embedding_size(std::nullopt), 6 * kHidden);
  std::vector<double> both[2];
  for (size_t s = 0; s < 2; ++s) {
    for (const auto& mode : kModes) {
      const std::vector<double> part = pooled(hidden, s, mode.pooling);
      both[s].insert(both[s].end(), part.begin(), part.end());
    }
  }
  expect_near(embeddings_of(*model), both[0], both[1]);
}

TEST(Sentence, PromptsMayBeLeftOutOfPooling) {
  const SentenceMaker folder;
  const auto model = folder.load();
  const std::vector<float> hidden = hidden_of(*model);
  const auto two = [](ModelCall& call) { call.prompt_tokens = 2; };
  expect_near(embeddings_of(*model, two), pooled(hidden, 0, Pooling::kMean, 2), pooled(hidden, 1, Pooling::kMean, 2));
  const auto all = [](ModelCall& call) { call.prompt_tokens = 100; };  // the last one stays
  expect_near(embeddings_of(*model, all), pooled(hidden, 0, Pooling::kMean, 4), pooled(hidden, 1, Pooling::kMean, 7));
}

TEST(Sentence, PromptsOfQueriesAndDocuments) {
  SentenceMaker folder;
  folder.files["config_sentence_transformers.json"] =
      "{\"prompts\": {\"corpus\": \"c: \", \"passage\": \"p: \", \"query\": \"q: \"}}";
  const auto model = folder.load();
  ASSERT_NE(query_prompt(*model), nullptr);
  EXPECT_EQ(*query_prompt(*model), "q: ");
  ASSERT_NE(document_prompt(*model), nullptr);
  EXPECT_EQ(*document_prompt(*model), "p: ") << "the first of the names, not of the file";
  const auto plain = SentenceMaker().load();
  EXPECT_EQ(query_prompt(*plain), nullptr);
  EXPECT_EQ(document_prompt(*plain), nullptr);
}

TEST(Sentence, ScalingByModuleOrByRequest) {
  SentenceMaker folder;
  const auto plain = folder.load();
  folder.modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Dropout", "Dropout"}, {"3", "Normalize"}});
  const auto scaled = folder.load();
  const auto ask = [](Scaling scaling) { return [scaling](ModelCall& call) { call.scaling = scaling; }; };
  EXPECT_EQ(embeddings_of(*scaled), embeddings_of(*plain, ask(Scaling::kYes)));
  EXPECT_EQ(embeddings_of(*plain), embeddings_of(*scaled, ask(Scaling::kNo)));
  EXPECT_NE(embeddings_of(*plain), embeddings_of(*scaled));
  std::vector<double> first = pooled(hidden_of(*plain), 0, Pooling::kMean),
                      second = pooled(hidden_of(*plain), 1, Pooling::kMean);
  scale(first);
  scale(second);
  expect_near(embeddings_of(*scaled), first, second);
}

TEST(Sentence, DenseModules) {
  const struct {
    const char* name;
    Activation activation;
  } kActivations[] = {{"torch.nn.modules.linear.Identity", Activation::kNone},
                      {"torch.nn.modules.activation.Tanh", Activation::kTanh},
                      {"torch.nn.modules.activation.ReLU", Activation::kRelu},
                      {"torch.nn.modules.activation.Sigmoid", Activation::kSigmoid},
                      {"torch.nn.modules.activation.GELU", Activation::kGelu}};
  SentenceMaker folder;
  const std::vector<float> hidden = hidden_of(*folder.load());
  folder.modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Dense", "Dense"}});
  for (const auto& [name, activation] : kActivations) {
    folder.dense("2_Dense", 48, 20, name);
    const auto model = folder.load();
    EXPECT_EQ(model->embedding_size(std::nullopt), 20);
    EXPECT_EQ(model->embedding_size(Pooling::kMax), kHidden);
    expect_near(embeddings_of(*model), applied(pooled(hidden, 0, Pooling::kMean), 20, activation),
                applied(pooled(hidden, 1, Pooling::kMean), 20, activation));
  }
  // Two, of several poolings, with the scaling between them.
  folder.pooling({"cls_token", "mean_tokens"});
  folder.dense("2_Dense", 96, 20, "torch.nn.modules.activation.Tanh", false);
  folder.dense("4_Dense", 20, 70, "torch.nn.modules.linear.Identity");
  folder.modules({{"", "Transformer"},
                  {"1_Pooling", "Pooling"},
                  {"2_Dense", "Dense"},
                  {"3_Normalize", "Normalize"},
                  {"4_Dense", "Dense"}});
  std::vector<double> expected[2];
  for (size_t s = 0; s < 2; ++s) {
    std::vector<double> both = pooled(hidden, s, Pooling::kFirst);
    const std::vector<double> mean = pooled(hidden, s, Pooling::kMean);
    both.insert(both.end(), mean.begin(), mean.end());
    std::vector<double> inner = applied(both, 20, Activation::kTanh, false);
    scale(inner);
    expected[s] = applied(inner, 70, Activation::kNone);
  }
  const auto model = folder.load();
  EXPECT_EQ(model->embedding_size(std::nullopt), 70);
  expect_near(embeddings_of(*model), expected[0], expected[1]);
}

TEST(Sentence, EmptySequencesGetZeros) {
  SentenceMaker folder;
  folder.modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Dense", "Dense"}});
  folder.dense("2_Dense", 48, 20, "torch.nn.modules.activation.Sigmoid");
  const auto model = folder.load();
  const SomeIds input;
  const std::vector<float> expected = embeddings_of(*model);
  const int64_t offsets[] = {0, 5, 5, 13, 13};
  std::vector<float> got(4 * 20, 7.0f);
  ModelCall call = input.call();
  call.offsets = offsets;
  call.num_sequences = 4;
  call.embeddings = got.data();
  model->run(call);
  const std::vector<float> zeros(20, 0.0f);
  EXPECT_EQ(std::vector<float>(got.begin() + 20, got.begin() + 40), zeros);
  EXPECT_EQ(std::vector<float>(got.begin() + 60, got.end()), zeros);
  EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 20),
            std::vector<float>(expected.begin(), expected.begin() + 20));
  EXPECT_EQ(std::vector<float>(got.begin() + 40, got.begin() + 60),
            std::vector<float>(expected.begin() + 20, expected.end()));
}

TEST(Sentence, SettingsOfTexts) {
  SentenceMaker folder;
  EXPECT_EQ(folder.load()->own_max_tokens(), 64);
  folder.files["sentence_roberta_config.json"] = "{\"max_seq_length\": 30}";
  EXPECT_EQ(folder.load()->own_max_tokens(), 30);
  folder.files["sentence_bert_config.json"] = "{\"max_seq_length\": 20, \"do_lower_case\": true}";
  EXPECT_EQ(folder.load()->own_max_tokens(), 20);
  EXPECT_TRUE(folder.load()->sentence().lower_case);
  folder.files["sentence_bert_config.json"] = "{\"max_seq_length\": 999, \"do_lower_case\": null}";
  EXPECT_EQ(folder.load()->own_max_tokens(), 64) << "never more than there are positions";
  folder.files["config_sentence_transformers.json"] =
      "{\"prompts\": {\"query\": \"query: \", \"none\": \"\"}, \"default_prompt_name\": null}";
  auto model = folder.load();
  EXPECT_EQ(default_prompt(*model), "");
  EXPECT_EQ(find_prompt(*model, "query"), "query: ");
  EXPECT_EQ(find_prompt(*model, "none"), "");
  expect_error(LFFN_ERROR_INVALID_ARGUMENT, "no prompt 'passage'; it has 'query', 'none'",
               [&] { find_prompt(*model, "passage"); });
  folder.files["config_sentence_transformers.json"] = "{\"prompts\": {\"a\": \"A \"}, \"default_prompt_name\": \"a\"}";
  EXPECT_EQ(default_prompt(*folder.load()), "A ");
  folder.files["config_sentence_transformers.json"] = "{\"prompts\": {\"a\": \"A \"}, \"default_prompt_name\": \"b\"}";
  folder.refused(LFFN_ERROR_BAD_MODEL, "'default_prompt_name' is 'b', which is none of the prompts");
  folder.files["config_sentence_transformers.json"] = "{\"prompts\": {\"a\": \"A \\u0000\"}}";
  folder.refused(LFFN_ERROR_BAD_MODEL, "without zero bytes");
}

TEST(Sentence, LowersAsPythonDoes) {
  SentenceMaker folder;
  folder.files["tokenizer.json"] = file_text(std::string(LFFN_HF_DATA) + "/roberta-classes", "tokenizer.json");
  folder.files["sentence_bert_config.json"] = "{\"do_lower_case\": true}";
  const auto model = folder.load();
  TextBatch batch;
  TextOptions options;
  batch.start(*model, options);
  batch.add("\u0391\u03a3 \u0394.\u03a3. \u0391\u03a3'\u0391 \u65e5\u03a3 \u0391\u03a3\u65e5");
  EXPECT_EQ(model->tokenizer()->decode(batch.rows().ids().data(), batch.rows().ids().size(), true),
            "\u03b1\u03c2 \u03b4.\u03c2. \u03b1\u03c3'\u03b1 \u65e5\u03c3 \u03b1\u03c2\u65e5");
}

// The encoder's own files may lie in a folder of theirs.
TEST(Sentence, EncoderInAFolderOfItsOwn) {
  SentenceMaker folder;
  folder.modules({{"0_RoBERTa", "RoBERTa"}, {"1_Pooling", "Pooling"}});
  const std::vector<float> expected = embeddings_of(*SentenceMaker().load());
  folder.files["0_RoBERTa/config.json"] = folder.files["config.json"];
  folder.files["0_RoBERTa/model.safetensors"] = safetensors_of(folder.tensors);
  folder.files["0_RoBERTa/sentence_bert_config.json"] = "{\"max_seq_length\": 20}";
  folder.files.erase("config.json");
  folder.files["model.safetensors"] = "not read";
  const auto model = folder.load();
  EXPECT_EQ(embeddings_of(*model), expected);
  EXPECT_EQ(model->own_max_tokens(), 20);
}

TEST(Sentence, Refused) {
  const auto with = [](const std::vector<std::pair<std::string, std::string>>& modules, lffn_status status,
                       const std::string& part) {
    SentenceMaker folder;
    folder.modules(modules);
    folder.dense("2_Dense", 47, 20, "torch.nn.modules.activation.Tanh");
    folder.dense("3_Dense", 48, 20, "torch.nn.modules.activation.SiLU");
    folder.refused(status, part);
  };
  with({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_LSTM", "LSTM"}}, LFFN_ERROR_UNSUPPORTED,
       "the module 'sentence_transformers.models.LSTM' is not supported; choose");
  with({{"", "WordEmbeddings"}, {"1_Pooling", "Pooling"}}, LFFN_ERROR_UNSUPPORTED,
       "models.WordEmbeddings'; supported are");
  with({{"", "Transformer"}}, LFFN_ERROR_UNSUPPORTED, "has no Pooling module");
  with({{"", "Transformer"}, {"3", "Normalize"}, {"1_Pooling", "Pooling"}}, LFFN_ERROR_UNSUPPORTED, "module 1 is");
  with({{"", "Transformer"}, {"../1_Pooling", "Pooling"}}, LFFN_ERROR_BAD_MODEL, "the path '../1_Pooling' leaves");
  with({{"/", "Transformer"}, {"1_Pooling", "Pooling"}}, LFFN_ERROR_BAD_MODEL, "the path '/' leaves the folder");
  with({{"", "Transformer"}, {"1_Pooling/../..", "Pooling"}}, LFFN_ERROR_BAD_MODEL, "leaves the folder");
  with({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Dense", "Dense"}}, LFFN_ERROR_BAD_MODEL,
       "a Dense module takes 47 numbers, but 48 come before it");
  with({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"3_Dense", "Dense"}}, LFFN_ERROR_UNSUPPORTED,
       "the activation 'torch.nn.modules.activation.SiLU' is not supported");
  SentenceMaker folder;
  folder.pooling({});
  folder.refused(LFFN_ERROR_BAD_MODEL, "names no way to pool");
  folder.files["1_Pooling/config.json"] = "{}";  // the mean
  folder.modules({{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Dense", "Dense"}});
  folder.dense("2_Dense", 48, 20, "torch.nn.modules.activation.Tanh");
  folder.files["2_Dense/pytorch_model.bin"] = "x";
  EXPECT_EQ(folder.load()->embedding_size(std::nullopt), 20);
  folder.files.erase("2_Dense/model.safetensors");
  folder.refused(LFFN_ERROR_BAD_MODEL, "2_Dense/pytorch_model.bin: the file is not PyTorch's: it is not a zip");
  folder.files["2_Dense/model.safetensors"] =
      safetensors_of({made_tensor("linear.weight", {20, 48}), made_tensor("linear.bias", {19})});
  folder.refused(LFFN_ERROR_BAD_MODEL, "linear.bias: shape [19], expected [20]");
  for (const char* text : {"{}", "[]", "[1]", "[{\"type\":1}]", "[{\"path\":\"\"}]"}) {
    folder.files["modules.json"] = text;
    folder.refused(LFFN_ERROR_BAD_MODEL, "modules.json");
  }
}

}  // namespace
}  // namespace lffn
