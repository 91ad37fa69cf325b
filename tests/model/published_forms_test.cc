// SPDX-License-Identifier: Apache-2.0
// Folders as their authors published them, and as other versions of transformers write them: golden folders from beside
// the project, rewritten, must give the same bits.
#include <gtest/gtest.h>

#include <filesystem>

#include "made_folder.h"

namespace lffn {
namespace {

constexpr char kShared[] = LFFN_SHARED;

class PublishedForms : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kShared + std::string("/golden-hf8"))) GTEST_SKIP() << kShared << " is not here";
  }
  static MadeFolder folder(const std::string& name) { return MadeFolder(name, kShared); }
};

// Leaves one member of config.json out, which is a number, a text or a word on a line of its own.
void drop(MadeFolder& folder, const std::string& key) {
  std::string& text = folder.files["config.json"];
  const size_t at = text.find("  \"" + key + "\": ");
  ASSERT_NE(at, std::string::npos) << key;
  text.erase(at, text.find('\n', at) + 1 - at);
}

void rename_key(MadeFolder& folder, const std::string& from, const std::string& to) {
  folder.configure("  \"" + from + "\":", "  \"" + to + "\":");
}

// Leaves out what transformers 5 has of rotary positions.
void drop_parameters(MadeFolder& folder, const std::string& end) {
  std::string& text = folder.files["config.json"];
  const size_t at = text.find("  \"rope_parameters\": {");
  ASSERT_NE(at, std::string::npos);
  const size_t last = text.find(end, at);
  ASSERT_NE(last, std::string::npos);
  text.erase(at, last + end.size() - at);
}
constexpr char kEnd[] = "\n  },\n";

TEST_F(PublishedForms, NomicsOwnKeys) {
  MadeFolder made = folder("golden-hf4/nomic-bert-mlm");
  const auto expected_model = made.load();
  const std::vector<float> expected = hidden_of(*expected_model), expected_logits = logits_of(*expected_model);
  for (const auto& [from, to] :
       std::initializer_list<std::pair<const char*, const char*>>{{"hidden_size", "n_embd"},
                                                                  {"num_hidden_layers", "n_layer"},
                                                                  {"num_attention_heads", "n_head"},
                                                                  {"intermediate_size", "n_inner"},
                                                                  {"max_position_embeddings", "n_positions"},
                                                                  {"layer_norm_eps", "layer_norm_epsilon"}}) {
    rename_key(made, from, to);
  }
  drop(made, "hidden_act");
  drop(made, "head_dim");
  drop_parameters(made, kEnd);
  made.add_config(
      R"("activation_function":"swiglu","rotary_emb_base":1000,"rotary_emb_fraction":1.0,"rotary_emb_interleaved":false,)"
      R"("rotary_emb_scale_base":null,"rotary_scaling_factor":null,"max_trained_positions":2048,"prenorm":false,)"
      R"("parallel_block":false,"use_rms_norm":false,"qkv_proj_bias":false,"mlp_fc1_bias":false,"mlp_fc2_bias":false)");
  made.rename("nomic_bert.", "");
  EXPECT_EQ(hidden_of(*made.load()), expected) << "without a prefix";
  EXPECT_EQ(logits_of(*made.load()), expected_logits);
  made.configure("\"rotary_scaling_factor\":null", "\"rotary_scaling_factor\":2.0");
  made.refused(LFFN_ERROR_UNSUPPORTED, "'rotary_scaling_factor' is set");
}

// One tensor of three parts becomes three.
void unpack(MadeFolder& made, const std::string& layer, size_t size) {
  for (const char* kind : {"weight", "bias"}) {
    const MadeTensor packed = made.tensor(layer + "qkv_proj." + kind);
    const char* parts[] = {"q_proj.", "k_proj.", "v_proj."};
    const size_t bytes = packed.data.size() / 3;
    for (size_t i = 0; i < 3; ++i) {
      MadeTensor part = packed;
      part.name = layer + parts[i] + kind;
      part.shape[0] = static_cast<int64_t>(size);
      part.data = packed.data.substr(i * bytes, bytes);
      made.tensors.push_back(part);
    }
  }
  made.remove(layer + "qkv_proj.");
}

TEST_F(PublishedForms, NewWithPrefixAndWithout) {
  MadeFolder made = folder("golden-hf8/sentence-new-ntk");
  made.configure("\"vocab_size\": 520", "\"vocab_size\": 1000");
  made.tensor("new.embeddings.word_embeddings.weight") =
      made_tensor("new.embeddings.word_embeddings.weight", {1000, 32});
  const std::vector<float> expected = hidden_of(*made.load());
  made.rename("new.", "");
  EXPECT_EQ(hidden_of(*made.load()), expected);

  // Each of queries, keys and values in a tensor of its own.
  made.configure("\"pack_qkv\": true", "\"pack_qkv\": false");
  made.refused(LFFN_ERROR_BAD_MODEL, "attention.q_proj.weight: this tensor is missing");
  for (const char* layer : {"encoder.layer.0.attention.", "encoder.layer.1.attention."}) unpack(made, layer, 32);
  EXPECT_EQ(hidden_of(*made.load()), expected);
}

// gte-multilingual's scores of tokens, which no architecture names.
TEST_F(PublishedForms, NewWithATokenClassifier) {
  MadeFolder made = folder("golden-hf8/sentence-new-ntk");
  made.configure("\"vocab_size\": 520", "\"vocab_size\": 1000");
  made.tensor("new.embeddings.word_embeddings.weight") =
      made_tensor("new.embeddings.word_embeddings.weight", {1000, 32});
  const std::vector<float> expected = hidden_of(*made.load());
  made.tensors.push_back(made_tensor("classifier.weight", {1, 32}));
  made.tensors.push_back(made_tensor("classifier.bias", {1}));
  const auto left_out = made.load();
  EXPECT_EQ(hidden_of(*left_out), expected);
  EXPECT_EQ(left_out->num_classes(), 0);
  EXPECT_EQ(left_out->num_token_classes(), 0);
  made.configure("\"NewModel\"\n", "\"NewForTokenClassification\"\n");
  const auto told = made.load();
  EXPECT_EQ(told->num_token_classes(), 1);
  EXPECT_EQ(hidden_of(*told), expected);
}

// Jina's code calls its model XLM-RoBERTa with rotary positions.
TEST_F(PublishedForms, JinasModelType) {
  MadeFolder made = folder("golden-hf4/jina-v3");
  const std::vector<float> expected = hidden_of(*made.load());
  made.configure("\"model_type\": \"jina_embeddings_v3\"",
                 "\"model_type\": \"xlm-roberta\", \"position_embedding_type\": \"rotary\"");
  drop_parameters(made, kEnd);
  made.add_config("\"rotary_emb_base\": 20000.0");
  for (const char* part : {"embeddings.", "emb_ln.", "encoder.", "pooler."}) {
    made.rename(part, std::string("roberta.") + part);
  }
  EXPECT_EQ(hidden_of(*made.load()), expected);
  made.configure("\"rotary_emb_base\": 20000.0", "\"rotary_emb_base\": 10000.0");
  EXPECT_NE(hidden_of(*made.load()), expected);
}

TEST_F(PublishedForms, Qwen3ForCausalLM) {
  MadeFolder made = folder("golden-hf4/sentence-qwen3");
  for (const char* name : {"modules.json", "1_Pooling/config.json"}) {
    made.files[name] = file_text(std::string(kShared) + "/golden-hf4/sentence-qwen3", name);
  }
  const std::vector<float> expected = embeddings_of(*made.load());
  made.configure("\"Qwen3Model\"", "\"Qwen3ForCausalLM\"");
  EXPECT_EQ(embeddings_of(*made.load()), expected) << "without a prefix";
  for (const char* part : {"embed_tokens.", "layers.", "norm."}) made.rename(part, std::string("model.") + part);
  const auto prefixed = made.load();
  EXPECT_EQ(embeddings_of(*prefixed), expected);
  EXPECT_FALSE(prefixed->has_lm_head()) << "of a sentence encoder nobody asks for it";
  made.tensors.push_back(made_tensor("lm_head.weight", {1503, 48}));
  EXPECT_EQ(embeddings_of(*made.load()), expected);
  made.configure("\"Qwen3ForCausalLM\"", "\"Qwen3ForQuestionAnswering\"");
  made.refused(LFFN_ERROR_BAD_MODEL, "");
}

TEST_F(PublishedForms, CrossEncoderOfATransformerAlone) {
  MadeFolder made = folder("golden-hf4/gte-classes");
  const std::vector<float> expected = scores_of(*made.load());
  made.files["modules.json"] =
      R"([{"idx":0,"name":"0","path":"","type":"sentence_transformers.base.modules.transformer.Transformer"}])";
  made.files["sentence_bert_config.json"] = R"({"transformer_task":"sequence-classification"})";
  const auto model = made.load();
  EXPECT_EQ(scores_of(*model), expected);
  EXPECT_EQ(model->info().is_sentence_encoder, 0);
  made.configure("\"GteForSequenceClassification\"", "\"GteModel\"");
  made.refused(LFFN_ERROR_UNSUPPORTED, "has no Pooling module");
}

TEST_F(PublishedForms, ModernBertWithTheKeysOfTransformers4) {
  MadeFolder made = folder("golden-hf4/modernbert-classes-5");
  const std::vector<float> expected = scores_of(*made.load());
  drop_parameters(made, "\n    }\n  },\n");
  std::string& text = made.files["config.json"];
  const size_t types = text.find("  \"layer_types\": [");
  text.erase(types, text.find("],\n", types) + 3 - types);
  made.add_config("\"global_rope_theta\": 160000.0, \"local_rope_theta\": 10000.0");
  EXPECT_EQ(scores_of(*made.load()), expected);
  made.configure("\"local_rope_theta\": 10000.0", "\"local_rope_theta\": null");
  EXPECT_EQ(scores_of(*made.load()), expected) << "the usual theta";
  made.configure("\"local_rope_theta\": null", "\"local_rope_theta\": 160000.0");
  EXPECT_NE(scores_of(*made.load()), expected);
}

TEST_F(PublishedForms, GemmaWithTheKeysOfTransformers4) {
  MadeFolder made = folder("golden-hf4/gemma3-text");
  const std::vector<float> expected = hidden_of(*made.load());
  drop_parameters(made, "\n    }\n  },\n");
  std::string& text = made.files["config.json"];
  const size_t types = text.find("  \"layer_types\": [");
  text.erase(types, text.find("],\n", types) + 3 - types);
  made.configure("\"_sliding_window_pattern\": 6", "\"sliding_window_pattern\": 6");
  made.add_config("\"rope_theta\": 1000000.0, \"rope_local_base_freq\": 10000.0, \"rope_scaling\": null");
  EXPECT_EQ(hidden_of(*made.load()), expected);
  for (const char* part : {"embed_tokens.", "layers.", "norm."}) made.rename(part, std::string("model.") + part);
  EXPECT_EQ(hidden_of(*made.load()), expected);
  // Scaling is of global layers alone.
  made.configure("\"rope_scaling\": null", "\"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 8.0}");
  const auto scaled = made.load();
  EXPECT_NE(hidden_of(*scaled), expected);
  EXPECT_EQ(scaled->config().layers[0].rotary.factor, 1);
  EXPECT_EQ(scaled->config().layers[5].rotary.factor, 8);
}

TEST_F(PublishedForms, TellWindowThetasAndDirection) {
  const ModelInfo modern = folder("golden-hf4/modernbert-classes-5").load()->info();
  EXPECT_EQ(modern.is_causal, 0);
  EXPECT_EQ(modern.attention_window, 12);
  EXPECT_EQ(modern.rope_theta, 160000);
  EXPECT_EQ(modern.local_rope_theta, 10000);
  const auto qwen = folder("golden-hf4/sentence-qwen3").load();
  EXPECT_EQ(qwen->info().is_causal, 1);
  EXPECT_EQ(qwen->info().attention_window, 0);
  EXPECT_EQ(qwen->info().rope_theta, 1000000);
  EXPECT_EQ(qwen->info().local_rope_theta, 0);
  EXPECT_EQ(qwen->layer_info(0).attention_window, 0);
  EXPECT_EQ(qwen->layer_info(0).rope_theta, 1000000);

  MadeFolder gemma = folder("golden-hf4/gemma3-text");
  const auto both = gemma.load();
  EXPECT_EQ(both->info().is_causal, 0);
  EXPECT_EQ(both->info().attention_window, 10);
  EXPECT_EQ(both->layer_info(0).attention_window, 10);
  EXPECT_EQ(both->layer_info(0).rope_theta, 10000);
  EXPECT_EQ(both->layer_info(5).attention_window, 0);
  EXPECT_EQ(both->layer_info(5).rope_theta, 1000000);
  gemma.configure("\"use_bidirectional_attention\": true", "\"use_bidirectional_attention\": false");
  const auto causal = gemma.load();
  EXPECT_EQ(causal->info().is_causal, 1);
  EXPECT_EQ(causal->info().attention_window, 19);

  const ModelInfo bert = MadeFolder("roberta-classes").load()->info();
  EXPECT_EQ(bert.is_causal, 0);
  EXPECT_EQ(bert.attention_window, 0);
  EXPECT_EQ(bert.rope_theta, 0);
  EXPECT_EQ(bert.local_rope_theta, 0);
}

}  // namespace
}  // namespace lffn
