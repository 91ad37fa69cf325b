// SPDX-License-Identifier: Apache-2.0
// Vectors of tokens: what late interaction's files have beside an encoder.
#include <unistd.h>

#include <cstdio>

#include "model/config/sentence_settings.h"
#include "model/memory_estimate.h"
#include "model/text_batch.h"
#include "sentence_maker.h"

namespace lffn {
namespace {

std::vector<float> vectors_of(const Model& model, Scaling scaling) {
  const SomeIds input;
  std::vector<float> vectors(static_cast<size_t>(input.offsets[2] * model.token_vector_size()));
  ModelCall call = input.call();
  call.token_vectors = vectors.data();
  call.scaling = scaling;
  model.run(call);
  return vectors;
}

// What a linear layer to 20 numbers makes of each hidden state.
void expect_applied(const Model& model, const std::vector<float>& hidden, bool bias) {
  ASSERT_EQ(model.token_vector_size(), 20);
  EXPECT_EQ(model.info().token_vector_size, 20);
  const std::vector<float> plain = vectors_of(model, Scaling::kNo), scaled = vectors_of(model, Scaling::kAsModel);
  EXPECT_EQ(scaled, vectors_of(model, Scaling::kYes));
  ASSERT_EQ(plain.size(), hidden.size() / 48 * 20);
  for (size_t t = 0; t < hidden.size() / 48; ++t) {
    const std::vector<double> row(hidden.begin() + static_cast<std::ptrdiff_t>(t * 48),
                                  hidden.begin() + static_cast<std::ptrdiff_t>(t * 48 + 48));
    const std::vector<double> expected = applied(row, 20, Activation::kNone, bias);
    double squares = 0;
    for (size_t i = 0; i < 20; ++i) {
      ASSERT_NEAR(plain[t * 20 + i], expected[i], 1e-4) << t << " " << i;
      squares += double{scaled[t * 20 + i]} * double{scaled[t * 20 + i]};
    }
    EXPECT_NEAR(squares, 1, 1e-5);
  }
}

TEST(LateInteraction, ALinearLayerBesideTheEncoder) {
  const std::vector<float> hidden = hidden_of(*SentenceMaker().load());
  EXPECT_EQ(vectors_of(*SentenceMaker().load(), Scaling::kAsModel), hidden) << "without one they are the hidden states";
  for (const bool bias : {false, true}) {
    SentenceMaker with;
    with.tensors.push_back(made_tensor("linear.weight", {20, 48}));
    if (bias) with.tensors.push_back(made_tensor("linear.bias", {20}));
    expect_applied(*with.load(), hidden, bias);
  }
  SentenceMaker bad;
  bad.tensors.push_back(made_tensor("linear.weight", {20, 47}));
  bad.refused(LFFN_ERROR_BAD_MODEL, "linear.weight");
}

// A tokenizer of letters.
std::string letters() {
  std::string vocabulary = "\"<s>\": 0, \"<pad>\": 1, \"</s>\": 2, \"<unk>\": 3, \"<mask>\": 4";
  for (int i = 0; i < 20; ++i) {
    vocabulary += std::string(", \"") + static_cast<char>('a' + i) + "\": " + std::to_string(5 + i);
  }
  const std::string parts =
      "[{\"SpecialToken\": {\"id\": \"<s>\", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}, "
      "{\"SpecialToken\": {\"id\": \"</s>\", \"type_id\": 0}}]";
  return "{\"added_tokens\": [], \"normalizer\": null, \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, "
         "\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": " +
         parts + ", \"pair\": " + parts.substr(0, parts.size() - 1) +
         ", {\"Sequence\": {\"id\": \"B\", \"type_id\": 0}}]" +
         ", \"special_tokens\": {\"<s>\": {\"id\": \"<s>\", \"ids\": [0], \"tokens\": [\"<s>\"]}, \"</s>\": {\"id\": "
         "\"</s>\", \"ids\": [2], \"tokens\": [\"</s>\"]}}}, \"model\": {\"type\": \"WordPiece\", \"unk_token\": "
         "\"<unk>\", \"continuing_subword_prefix\": \"##\", \"max_input_chars_per_word\": 100, \"vocab\": {" +
         vocabulary + "}}}";
}

// As PyLate writes them.
struct TokenFolder : SentenceMaker {
  explicit TokenFolder(bool bias = false) {
    files["modules.json"] = "[" + module_entry("", "Transformer") +
                            ",{\"idx\":1,\"name\":\"1\",\"path\":\"1_Dense\",\"type\":\"pylate.models.Dense.Dense\"}]";
    files.erase("1_Pooling/config.json");
    dense("1_Dense", 48, 20, "torch.nn.modules.linear.Identity", bias);
    files["tokenizer.json"] = letters();
    files["tokenizer_config.json"] =
        "{\"cls_token\": \"<s>\", \"sep_token\": \"</s>\", \"mask_token\": \"<mask>\", \"unk_token\": \"<unk>\"}";
    says("");
  }
  void with(const std::string& settings) { files["1_Dense/config.json"] = settings; }
  void says(const std::string& more) {
    files["config_sentence_transformers.json"] =
        "{\"prompts\": {}, \"similarity_fn_name\": \"MaxSim\", \"query_prefix\": \"<s>\", "
        "\"document_prefix\": \"</s>\", \"query_length\": 12, \"document_length\": 9" +
        more + "}";
  }
};

// A text as a late model reads it.
TextBatch read_as(const Model& model, LateRole role, const std::string& text, int64_t max_tokens = 0) {
  TextOptions options;
  options.role = role;
  options.max_tokens = max_tokens;
  TextBatch batch;
  batch.start(model, options);
  batch.add(text);
  return batch;
}

TEST(LateInteraction, ADenseModuleWithoutPooling) {
  const std::vector<float> hidden = hidden_of(*SentenceMaker().load());
  for (const bool bias : {false, true}) {
    const TokenFolder folder(bias);
    const auto model = folder.load();
    expect_applied(*model, hidden, bias);
    EXPECT_TRUE(model->sentence().is_sentence_encoder);
    EXPECT_TRUE(model->sentence().late.is_late);
    EXPECT_EQ(model->info().max_query_tokens, 12);
    EXPECT_EQ(model->info().max_document_tokens, 9);
    // Embeddings are those of an encoder that says nothing of them.
    EXPECT_EQ(model->embedding_size(std::nullopt), kHidden);
    std::vector<double> first = pooled(hidden, 0, Pooling::kMean), second = pooled(hidden, 1, Pooling::kMean);
    scale(first);
    scale(second);
    expect_near(embeddings_of(*model), first, second);
    EXPECT_EQ(default_prompt(*model), "");

    const std::string file = testing::TempDir() + "/late_interaction_test." + std::to_string(getpid());
    model->save(file);
    const auto again = load_model(file, ModelLoadOptions(), usable_kernels());
    EXPECT_EQ(vectors_of(*again, Scaling::kAsModel), vectors_of(*model, Scaling::kAsModel));
    EXPECT_EQ(late_to_json(again->sentence().late), late_to_json(model->sentence().late));
    EXPECT_EQ(again->info().memory_bytes, model->info().memory_bytes);
    const size_t told = estimate_memory(file, ModelLoadOptions(), usable_kernels()).weights;
    std::remove(file.c_str());
    EXPECT_GE(told, model->info().memory_bytes);
    EXPECT_LE(told, model->info().memory_bytes + 8192);
  }
}

TEST(LateInteraction, QueriesAreFilledAndDocumentsCut) {
  TokenFolder folder;
  const auto model = folder.load();
  const Tokenizer& tokenizer = *model->tokenizer();
  const TextBatch query = read_as(*model, LateRole::kQuery, "a");
  const std::vector<int32_t>& ids = query.rows().ids();
  ASSERT_EQ(ids.size(), 12u);
  EXPECT_EQ(ids[1], tokenizer.id_of("<s>"));
  EXPECT_EQ(ids.back(), tokenizer.mask_id());
  ModelCall call;
  query.fill(call);
  ASSERT_NE(call.attended, nullptr);
  EXPECT_LT(call.attended[0], 12);
  EXPECT_EQ(call.attended[0], query.rows().uncut()[0]);
  const std::string many = "a b c d e f g h i j k l m n o p q r";
  EXPECT_EQ(read_as(*model, LateRole::kQuery, many).rows().ids().size(), 12u);
  EXPECT_EQ(read_as(*model, LateRole::kQuery, many, 7).rows().ids().size(), 7u);
  const TextBatch document = read_as(*model, LateRole::kDocument, many);
  ASSERT_EQ(document.rows().ids().size(), 9u);
  EXPECT_EQ(document.rows().ids()[1], tokenizer.id_of("</s>"));
  EXPECT_EQ(read_as(*model, LateRole::kDocument, "").rows().ids().size(), 3u);
  EXPECT_EQ(read_as(*model, LateRole::kNone, "").rows().ids().size(), 2u);
  TextOptions windows;
  windows.role = LateRole::kQuery;
  windows.windows = true;
  TextBatch batch;
  EXPECT_THROW(batch.start(*model, windows), Error);

  folder.says(", \"attend_to_expansion_tokens\": true");
  const auto attending = folder.load();
  ModelCall all;
  const TextBatch other = read_as(*attending, LateRole::kQuery, "a");
  other.fill(all);
  EXPECT_EQ(all.attended, nullptr);
  folder.says(", \"do_query_expansion\": false");
  EXPECT_LT(read_as(*folder.load(), LateRole::kQuery, "a").rows().ids().size(), 12u);
  folder.says(", \"skiplist_words\": [\"</s>\", \"no such token\"]");
  const LateSettings late = folder.load()->sentence().late;
  EXPECT_FALSE(late.keeps(LateRole::kDocument, tokenizer.id_of("</s>")));
  EXPECT_FALSE(late.keeps(LateRole::kDocument, tokenizer.unk_id())) << "the library that writes these files does so";
  EXPECT_TRUE(late.keeps(LateRole::kQuery, tokenizer.id_of("</s>")));
}

TEST(LateInteraction, SeveralDenseModules) {
  const std::vector<float> hidden = hidden_of(*SentenceMaker().load());
  TokenFolder folder;
  folder.dense("1_Dense", 48, 48, "torch.nn.modules.activation.Tanh", true);
  std::string& first = folder.files["1_Dense/config.json"];
  first.insert(first.size() - 1, ",\"use_residual\":true");
  folder.dense("2_Dense", 48, 20, "torch.nn.modules.linear.Identity", false);
  folder.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"2_Dense", "Dense"}});
  const auto model = folder.load();
  ASSERT_EQ(model->token_vector_size(), 20);
  const std::vector<float> got = vectors_of(*model, Scaling::kNo);
  for (size_t t = 0; t < hidden.size() / 48; ++t) {
    const std::vector<double> row(hidden.begin() + static_cast<std::ptrdiff_t>(t * 48),
                                  hidden.begin() + static_cast<std::ptrdiff_t>(t * 48 + 48));
    std::vector<double> between = applied(row, 48, Activation::kTanh, true);
    for (size_t i = 0; i < 48; ++i) between[i] += row[i];
    const std::vector<double> expected = applied(between, 20, Activation::kNone, false);
    for (size_t i = 0; i < 20; ++i) ASSERT_NEAR(got[t * 20 + i], expected[i], 1e-4) << t << " " << i;
  }
  const std::string file = testing::TempDir() + "/late_interaction_test." + std::to_string(getpid());
  model->save(file);
  EXPECT_EQ(vectors_of(*load_model(file, ModelLoadOptions(), usable_kernels()), Scaling::kNo), got);
  std::remove(file.c_str());
  folder.dense("2_Dense", 47, 20, "torch.nn.modules.linear.Identity", false);
  folder.refused(LFFN_ERROR_BAD_MODEL, "takes 47 numbers, but the Dense module before it gives 48");
}

TEST(LateInteraction, WhatADenseModuleMustNotBe) {
  TokenFolder folder;
  const auto refused = [&](lffn_status status, const std::string& settings, const std::string& part) {
    folder.with(settings);
    folder.refused(status, part);
  };
  const std::string sizes = "\"in_features\":48,\"out_features\":20", plain = sizes + ",\"bias\":false";
  folder.with("{" + plain + "}");
  EXPECT_EQ(folder.load()->token_vector_size(), 20) << "without an activation it is none";
  refused(LFFN_ERROR_UNSUPPORTED, "{" + plain + ",\"activation_function\":\"torch.nn.modules.activation.Softsign\"}",
          "the activation 'torch.nn.modules.activation.Softsign' of tokens' vectors is not supported; choose Identity");
  refused(LFFN_ERROR_BAD_MODEL, "{" + plain + ",\"use_residual\":true}", "late.0.residual.weight");
  refused(LFFN_ERROR_BAD_MODEL, "{\"in_features\":48,\"out_features\":24,\"bias\":false}",
          "linear.weight has the shape [20,48], but 1_Dense/config.json names 48 numbers that become 24");
  refused(LFFN_ERROR_BAD_MODEL, "{" + sizes + "}", "'bias' is true, but 1_Dense/model.safetensors has no linear.bias");
  refused(LFFN_ERROR_BAD_MODEL, "{\"in_features\":0,\"out_features\":24}", "a size of 0");
  refused(LFFN_ERROR_UNSUPPORTED, "{" + plain + ",\"module_input_name\":\"sentence_embedding\"}", "module_input_name");
  folder.dense("1_Dense", 47, 20, "torch.nn.modules.linear.Identity", false);
  folder.refused(LFFN_ERROR_BAD_MODEL, "linear.weight: shape [20,47], expected [20,48]");
  folder.dense("1_Dense", 48, 20, "torch.nn.modules.linear.Identity", true);
  refused(LFFN_ERROR_BAD_MODEL, "{" + plain + "}", "'bias' is false, but 1_Dense/model.safetensors has a linear.bias");
  folder.files.erase("1_Dense/model.safetensors");
  folder.refused(LFFN_ERROR_IO, "1_Dense/model.safetensors");
  TokenFolder several;
  several.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"1_Pooling", "Pooling"}});
  several.refused(LFFN_ERROR_UNSUPPORTED, "module 1 is");
  several.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"2_Normalize", "Normalize"}});
  EXPECT_EQ(several.load()->token_vector_size(), 20);
  several.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"2_LSTM", "LSTM"}});
  several.refused(LFFN_ERROR_UNSUPPORTED, "module 2 is 'sentence_transformers.models.LSTM'; supported are");
}

TEST(LateInteraction, WhatTheFilesMustSay) {
  TokenFolder folder;
  const auto refused = [&](const std::string& settings, const std::string& part) {
    folder.files["config_sentence_transformers.json"] = settings;
    folder.refused(LFFN_ERROR_BAD_MODEL, part);
  };
  refused("{}", "the prefix of queries of late interaction, '[Q] ', is no token of the tokenizer");
  const std::string prefixes = "{\"query_prefix\": \"\", \"document_prefix\": ";
  refused(prefixes + "\"[D] \"}", "the prefix of documents of late interaction, '[D] ', is no token");
  refused(prefixes + "\"\", \"skiplist_words\": 7}", "'skiplist_words' must be a list of at most 65536 tokens");
  refused(prefixes + "\"\", \"skiplist_words\": [7]}", "'skiplist_words' must be a list of at most 65536 tokens");
  refused(prefixes + "\"\", \"query_length\": -1}", "'query_length' must be a whole number");
  folder.files["config_sentence_transformers.json"] = prefixes + "\"\"}";
  EXPECT_EQ(folder.load()->info().max_query_tokens, 32);

  // sentence-transformers' own form.
  folder.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"2_MultiVectorMask", "MultiVectorMask"}});
  folder.files["config_sentence_transformers.json"] = "{\"prompts\": {\"query\": \"q: \"}}";
  folder.files["2_MultiVectorMask/config.json"] =
      "{\"skiplist_words\": [\"</s>\"], \"skiplist_tasks\": [\"query\"], \"keep_only_token_ids\": [7, 5, 7]}";
  folder.files["sentence_bert_config.json"] =
      "{\"query_expansion\": {\"strategy\": \"fixed\", \"length\": 10, \"token\": \"<s>\"}, \"document_length\": 11}";
  const auto model = folder.load();
  const LateSettings& late = model->sentence().late;
  EXPECT_FALSE(late.normalises);
  EXPECT_EQ(late.filler, model->tokenizer()->id_of("<s>"));
  EXPECT_EQ(model->info().filler_id, late.filler);
  EXPECT_EQ(model->info().query_prefix_id, -1);
  EXPECT_EQ(model->info().document_prefix_id, -1);
  EXPECT_EQ(late.query_tokens, 10);
  EXPECT_EQ(late.document_tokens, 11);
  EXPECT_EQ(late.kept_in_documents, (std::vector<int32_t>{5, 7}));
  EXPECT_TRUE(late.skipped_in_documents.empty());
  EXPECT_FALSE(late.keeps(LateRole::kQuery, model->tokenizer()->id_of("</s>")));
  EXPECT_TRUE(late.keeps(LateRole::kDocument, 5));
  EXPECT_FALSE(late.keeps(LateRole::kDocument, 6));
  EXPECT_EQ(*query_prompt(*model), "q: ");
  folder.files["sentence_bert_config.json"] = "{\"query_expansion\": {\"strategy\": \"append_suffix\"}}";
  folder.refused(LFFN_ERROR_UNSUPPORTED, "has the strategy 'append_suffix'; supported are 'fixed' and 'min'");
  folder.files["sentence_bert_config.json"] = "{\"query_expansion\": {\"strategy\": \"min\"}, \"query_length\": 9}";
  folder.refused(LFFN_ERROR_BAD_MODEL, "'length' must be");
  folder.files["sentence_bert_config.json"] =
      "{\"query_expansion\": {\"strategy\": \"min\", \"length\": 6, \"token\": \"<mask>\"}, \"query_length\": 9}";
  folder.files["config_sentence_transformers.json"] = "{}";
  const auto least = folder.load();
  for (const auto& [text, tokens] : std::vector<std::pair<std::string, size_t>>{
           {"a", 6}, {"a b c d", 6}, {"a b c d e", 7}, {"a b c d e f g h i j k", 9}}) {
    EXPECT_EQ(read_as(*least, LateRole::kQuery, text).rows().ids().size(), tokens) << text;
  }
  EXPECT_EQ(read_as(*least, LateRole::kQuery, "a", 4).rows().ids().size(), 4u);
  EXPECT_EQ(late_from_json(JsonObject(late_to_json(least->sentence().late), "late").root(), "late").filled_tokens, 6);
  folder.files["sentence_bert_config.json"] = "{\"query_expansion\": {}}";
  folder.refused(LFFN_ERROR_BAD_MODEL, "'length' must be");

  // Stanford's.
  SentenceMaker stanford;
  stanford.files.erase("modules.json");
  stanford.files.erase("1_Pooling/config.json");
  stanford.files["artifact.metadata"] =
      "{\"query_token_id\": \"<s>\", \"doc_token_id\": \"</s>\", \"query_maxlen\": 14}";
  stanford.refused(LFFN_ERROR_BAD_MODEL, "linear.weight is missing, which makes the vectors of late interaction");
  stanford.tensors.push_back(made_tensor("linear.weight", {20, 48}));
  EXPECT_EQ(stanford.load()->info().max_query_tokens, 14);
  stanford.files["artifact.metadata"] = "[]";
  stanford.refused(LFFN_ERROR_BAD_MODEL, "artifact.metadata");
}

}  // namespace
}  // namespace lffn
