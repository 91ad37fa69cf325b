// SPDX-License-Identifier: Apache-2.0
// Vectors of tokens: what late interaction's files have beside an encoder.
#include <unistd.h>

#include <cstdio>

#include "model/config/sentence_settings.h"
#include "model/tensors/memory_estimate.h"
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

// As PyLate writes them.
struct TokenFolder : SentenceMaker {
  explicit TokenFolder(bool bias = false) {
    files["modules.json"] = "[" + module_entry("", "Transformer") +
                            ",{\"idx\":1,\"name\":\"1\",\"path\":\"1_Dense\",\"type\":\"pylate.models.Dense.Dense\"}]";
    files.erase("1_Pooling/config.json");
    dense("1_Dense", 48, 20, "torch.nn.modules.linear.Identity", bias);
    files["config_sentence_transformers.json"] =
        "{\"prompts\": {}, \"default_prompt_name\": null, \"similarity_fn_name\": \"MaxSim\", \"query_prefix\": \"[Q] "
        "\", "
        "\"document_prefix\": \"[D] \", \"query_length\": 32, \"document_length\": 180}";
  }
  void with(const std::string& settings) { files["1_Dense/config.json"] = settings; }
};

TEST(LateInteraction, ADenseModuleWithoutPooling) {
  const std::vector<float> hidden = hidden_of(*SentenceMaker().load());
  for (const bool bias : {false, true}) {
    const TokenFolder folder(bias);
    const auto model = folder.load();
    expect_applied(*model, hidden, bias);
    EXPECT_TRUE(model->sentence().is_sentence_encoder);
    // Embeddings are those of an encoder that says nothing of them.
    EXPECT_EQ(model->embedding_size(std::nullopt), kHidden);
    std::vector<double> first = pooled(hidden, 0, Pooling::kMean), second = pooled(hidden, 1, Pooling::kMean);
    scale(first);
    scale(second);
    expect_near(embeddings_of(*model), first, second);
    ASSERT_NE(query_prompt(*model), nullptr);
    EXPECT_EQ(*query_prompt(*model), "[Q] ");
    EXPECT_EQ(*document_prompt(*model), "[D] ");
    EXPECT_EQ(default_prompt(*model), "");

    const std::string file = testing::TempDir() + "/late_interaction_test." + std::to_string(getpid());
    model->save(file);
    const auto again = load_model(file, LoadOptions(), usable_kernels());
    EXPECT_EQ(vectors_of(*again, Scaling::kAsModel), vectors_of(*model, Scaling::kAsModel));
    EXPECT_EQ(*document_prompt(*again), "[D] ");
    EXPECT_EQ(again->info().memory_bytes, model->info().memory_bytes);
    const size_t told = estimate_memory(file, LoadOptions(), usable_kernels()).weights;
    std::remove(file.c_str());
    EXPECT_GE(told, model->info().memory_bytes);
    EXPECT_LE(told, model->info().memory_bytes + 8192);
  }
  TokenFolder named;
  named.files["config_sentence_transformers.json"] =
      "{\"prompts\": {\"query\": \"own: \"}, \"query_prefix\": \"[Q] \"}";
  EXPECT_EQ(*query_prompt(*named.load()), "own: ");
  EXPECT_EQ(document_prompt(*named.load()), nullptr);
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
  refused(LFFN_ERROR_UNSUPPORTED, "{" + plain + ",\"activation_function\":\"torch.nn.modules.activation.Tanh\"}",
          "the activation 'torch.nn.modules.activation.Tanh' of tokens' vectors is not supported; choose Identity");
  refused(LFFN_ERROR_UNSUPPORTED, "{" + plain + ",\"use_residual\":true}", "'use_residual' is not supported; choose");
  refused(LFFN_ERROR_BAD_MODEL, "{\"in_features\":48,\"out_features\":24,\"bias\":false}",
          "linear.weight has the shape [20,48], but 1_Dense/config.json names 48 numbers that become 24");
  refused(LFFN_ERROR_BAD_MODEL, "{" + sizes + "}", "'bias' is true, but 1_Dense/model.safetensors has no linear.bias");
  refused(LFFN_ERROR_BAD_MODEL, "{\"in_features\":0,\"out_features\":24}", "a size of 0");
  folder.dense("1_Dense", 47, 20, "torch.nn.modules.linear.Identity", false);
  folder.refused(LFFN_ERROR_BAD_MODEL, "linear.weight: shape [20,47], expected [20,48]");
  folder.dense("1_Dense", 48, 20, "torch.nn.modules.linear.Identity", true);
  refused(LFFN_ERROR_BAD_MODEL, "{" + plain + "}", "'bias' is false, but 1_Dense/model.safetensors has a linear.bias");
  folder.files.erase("1_Dense/model.safetensors");
  folder.refused(LFFN_ERROR_IO, "1_Dense/model.safetensors");
  TokenFolder several;
  several.dense("2_Dense", 20, 20, "torch.nn.modules.linear.Identity", false);
  several.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"2_Dense", "Dense"}});
  several.refused(LFFN_ERROR_UNSUPPORTED, "module 2 is 'sentence_transformers.models.Dense'; supported are");
  several.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"1_Pooling", "Pooling"}});
  several.refused(LFFN_ERROR_UNSUPPORTED, "module 2 is");
  several.modules({{"", "Transformer"}, {"1_Dense", "Dense"}, {"2_Normalize", "Normalize"}});
  EXPECT_EQ(several.load()->token_vector_size(), 20);
  several.files["config_sentence_transformers.json"] = "{\"query_prefix\": \"a\\u0000b\"}";
  several.refused(LFFN_ERROR_BAD_MODEL, "query_prefix");
}

}  // namespace
}  // namespace lffn
