// SPDX-License-Identifier: Apache-2.0
// What the files of the families may look like, and what is refused.
#include "model/families/family.h"

#include "made_folder.h"
#include "model/text_batch.h"

namespace lffn {
namespace {

// A RoBERTa without padding tokens is a BERT whose position embeddings begin two rows later.
MadeFolder roberta_as_bert() {
  MadeFolder folder("roberta-classes");
  folder.rename("roberta.", "bert.");
  folder.rename("classifier.dense.", "bert.pooler.dense.");
  folder.rename("classifier.out_proj.", "classifier.");
  MadeTensor& positions = folder.tensor("bert.embeddings.position_embeddings.weight");
  positions.shape[0] -= 2;
  positions.data.erase(0, 2 * 48 * sizeof(float));
  folder.configure("\"roberta\"", "\"bert\"");
  folder.configure("RobertaForSequenceClassification", "BertForSequenceClassification");
  folder.configure("\"max_position_embeddings\": 66", "\"max_position_embeddings\": 64");
  return folder;
}

TEST(Families, AreOneCodeUnderDifferentNames) {
  const auto roberta = MadeFolder("roberta-classes").load(), bert = roberta_as_bert().load();
  EXPECT_STREQ(roberta->family().name, "roberta");
  EXPECT_STREQ(bert->family().name, "bert");
  EXPECT_EQ(bert->config().max_tokens(), 64);
  EXPECT_EQ(roberta->config().max_tokens(), 64);
  EXPECT_EQ(hidden_of(*bert), hidden_of(*roberta));
  EXPECT_EQ(scores_of(*bert), scores_of(*roberta));
  EXPECT_EQ(bert->labels(), (std::vector<std::string>{"negative", "neutral", "positive"}));
}

// BERT's pairs have two types, and a tokenizer.json may name any; the model's table of them has one row here.
TEST(Families, TypesThatTheModelLacks) {
  MadeFolder folder = roberta_as_bert();
  folder.files["vocab.txt"] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n";
  const auto model = folder.load();
  ASSERT_EQ(model->num_types(), 1);
  TextBatch batch;
  batch.start(*model, {});
  batch.add("a a");
  const auto refused = [&](auto&& add) {
    try {
      add();
      ADD_FAILURE() << "a type without a row was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), LFFN_ERROR_INVALID_ARGUMENT);
      EXPECT_NE(std::string(error.what()).find("the type 1, the model has 0 to 0"), std::string::npos) << error.what();
    }
  };
  refused([&] { batch.add_pair("a", "a"); });
  EXPECT_EQ(batch.rows().size(), 1) << "as it was";
  EXPECT_EQ(batch.rows().ids().size(), 4u);
}

TEST(Families, AllNamesOfATensor) {
  const std::vector<float> expected = hidden_of(*MadeFolder("roberta-classes").load());
  MadeFolder folder("roberta-classes");
  folder.rename("roberta.", "");
  EXPECT_EQ(hidden_of(*folder.load()), expected) << "without the prefix";
  folder.rename("e", "model.roberta.e");
  EXPECT_EQ(hidden_of(*folder.load()), expected) << "with another one";
  for (MadeTensor& tensor : folder.tensors) {
    const size_t at = tensor.name.find("LayerNorm.");
    if (at == std::string::npos) continue;
    tensor.name =
        tensor.name.substr(0, at) + (tensor.name.substr(at + 10) == "weight" ? "LayerNorm.gamma" : "LayerNorm.beta");
  }
  EXPECT_EQ(hidden_of(*folder.load()), expected) << "with the oldest names of a layer norm";
  MadeTensor buffer;
  buffer.name = "roberta.embeddings.position_ids";
  buffer.dtype = "I64";
  buffer.shape = {1, 66};
  buffer.data.assign(66 * 8, 'x');
  folder.tensors.push_back(buffer);
  folder.tensors.push_back(made_tensor("roberta.pooler.dense.weight", {48, 48}));
  folder.tensors.push_back(made_tensor("pooler.dense.bias", {48}));
  EXPECT_EQ(hidden_of(*folder.load()), expected) << "with what nobody reads";
  folder.tensors.push_back(made_tensor("roberta.pooler.bias", {48}));
  EXPECT_EQ(hidden_of(*folder.load()), expected);
  folder.tensors.push_back(made_tensor("cls.seq_relationship.weight", {2, 48}));
  folder.refused(LFFN_ERROR_BAD_MODEL, "'cls.seq_relationship.weight': a model with this config has no such tensor");
  folder.tensors.back().name = "encoder.layer.0.attention.output.LayerNorm.weight";
  folder.refused(LFFN_ERROR_BAD_MODEL, "are the same tensor");

  MadeFolder bert = roberta_as_bert();
  bert.tensors.push_back(made_tensor("cls.seq_relationship.weight", {2, 48}));
  EXPECT_EQ(hidden_of(*bert.load()), expected);
  bert.remove("bert.encoder.layer.1.output.LayerNorm.bias");
  bert.refused(LFFN_ERROR_BAD_MODEL, "encoder.layer.1.output.LayerNorm.bias: this tensor is missing");
}

TEST(Families, TokenTypes) {
  MadeFolder folder = roberta_as_bert();
  const std::vector<float> expected = hidden_of(*folder.load());
  folder.configure("\"type_vocab_size\": 1", "\"type_vocab_size\": 2");
  MadeTensor& types = folder.tensor("bert.embeddings.token_type_embeddings.weight");
  types.shape[0] = 2;
  types.data += types.data;
  const auto same = folder.load();
  EXPECT_EQ(same->num_types(), 2);
  EXPECT_EQ(hidden_of(*same), expected);
  std::vector<float> second(48, 0.5f);
  types.data.replace(48 * sizeof(float), 48 * sizeof(float), reinterpret_cast<const char*>(second.data()),
                     48 * sizeof(float));
  const auto model = folder.load();
  EXPECT_EQ(hidden_of(*model), expected) << "type 0 unless the caller says otherwise";
  const SomeIds input;
  std::vector<int32_t> all(input.ids.size(), 0);
  std::vector<float> hidden(expected.size());
  ModelCall call = input.call();
  call.types = all.data();
  call.hidden = hidden.data();
  model->run(call);
  EXPECT_EQ(hidden, expected);
  all[9] = 1;
  model->run(call);
  EXPECT_TRUE(std::equal(hidden.begin(), hidden.begin() + 5 * 48, expected.begin())) << "the other sequence";
  EXPECT_FALSE(std::equal(hidden.begin() + 5 * 48, hidden.end(), expected.begin() + 5 * 48));
}

// Inside a text a padding token has the padding's own position, and those behind it count on without it.
TEST(Families, RobertaDoesNotCountPadding) {
  const auto roberta = MadeFolder("roberta-classes").load();
  SomeIds input;
  input.ids[2] = input.ids[9] = 1;
  MadeFolder folder("roberta-classes");
  folder.rename("roberta.", "bert.");
  folder.remove("classifier.");
  folder.configure("\"roberta\"", "\"bert\"");
  folder.configure("RobertaForSequenceClassification", "BertModel");
  MadeTensor& positions = folder.tensor("bert.embeddings.position_embeddings.weight");
  const size_t row = 48 * sizeof(float);
  const std::string rows = positions.data;
  const auto arrange = [&](const std::vector<size_t>& order) {
    for (size_t i = 0; i < order.size(); ++i) positions.data.replace(i * row, row, rows.substr(order[i] * row, row));
    return hidden_of(*folder.load(), input);
  };
  const std::vector<float> expected = hidden_of(*roberta, input);
  const std::vector<float> first = arrange({2, 3, 1, 4, 5}), second = arrange({2, 3, 4, 5, 1, 6, 7, 8});
  EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + 5 * 48, first.begin()));
  EXPECT_TRUE(std::equal(expected.begin() + 5 * 48, expected.end(), second.begin() + 5 * 48));
}

TEST(Families, Labels) {
  MadeFolder folder("roberta-classes");
  folder.configure("\"1\": \"neutral\",", "\"7\": \"other\",");
  auto model = folder.load();
  EXPECT_EQ(model->labels(), (std::vector<std::string>{"negative", "LABEL_1", "positive"}));
  EXPECT_FALSE(model->sigmoid_probabilities());
  EXPECT_EQ(model->rank_activation(), Activation::kNone);
  folder.add_config("\"problem_type\": \"multi_label_classification\"");
  EXPECT_TRUE(folder.load()->sigmoid_probabilities());
  folder.configure("\"7\": \"other\",", "\"x\": \"other\",");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'id2label' must be");

  MadeFolder one("roberta-classes");
  for (const char* name : {"classifier.out_proj.weight", "classifier.out_proj.bias"}) {
    MadeTensor& tensor = one.tensor(name);
    tensor.shape[0] = 1;
    tensor.data.resize(tensor.data.size() / 3);
  }
  model = one.load();
  EXPECT_EQ(model->num_classes(), 1);
  EXPECT_TRUE(model->sigmoid_probabilities());
  EXPECT_EQ(model->rank_activation(), Activation::kSigmoid);
  one.add_config("\"sbert_ce_default_activation_function\": \"torch.nn.modules.linear.Identity\"");
  EXPECT_EQ(one.load()->rank_activation(), Activation::kNone);
  one.add_config("\"sentence_transformers\": {\"activation_fn\": \"torch.nn.modules.activation.Tanh\"}");
  EXPECT_EQ(one.load()->rank_activation(), Activation::kTanh);
  one.configure("activation.Tanh", "activation.Softshrink");
  one.refused(LFFN_ERROR_UNSUPPORTED, "Softshrink");
  one.configure("torch.nn.modules.activation.Softshrink", "my.own.Activation");
  EXPECT_EQ(one.load()->rank_activation(), Activation::kSigmoid);
}

// A language model's head, with a decoder of its own or the word embeddings.
TEST(Families, TiedDecoders) {
  MadeFolder folder("roberta-classes");
  folder.remove("classifier.");
  folder.configure("RobertaForSequenceClassification", "RobertaForMaskedLM");
  folder.tensors.push_back(made_tensor("lm_head.dense.weight", {48, 48}));
  folder.tensors.push_back(made_tensor("lm_head.dense.bias", {48}));
  folder.tensors.push_back(made_tensor("lm_head.layer_norm.weight", {48}, 1));
  folder.tensors.push_back(made_tensor("lm_head.layer_norm.bias", {48}));
  folder.refused(LFFN_ERROR_BAD_MODEL, "lm_head.bias: this tensor is missing");
  folder.tensors.push_back(made_tensor("lm_head.bias", {1200}));
  const std::vector<float> tied = logits_of(*folder.load());
  folder.tensors.push_back(made_tensor("lm_head.decoder.weight", {1200, 48}));
  EXPECT_EQ(logits_of(*folder.load()), tied) << "a decoder counts for nothing where it is tied";
  folder.add_config("\"tie_word_embeddings\": false");
  const auto own = folder.load();
  EXPECT_NE(logits_of(*own), tied);
  folder.tensors.back().data = folder.tensor("roberta.embeddings.word_embeddings.weight").data;
  const auto equal = folder.load();
  EXPECT_EQ(logits_of(*equal), tied);
  EXPECT_LT(equal->info().memory_bytes, own->info().memory_bytes) << "an equal one is held once";
  folder.remove("lm_head.decoder");
  folder.refused(LFFN_ERROR_BAD_MODEL, "lm_head.decoder.weight: this tensor is missing");
  folder.configure("\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true");
  folder.tensors.push_back(made_tensor("lm_head.decoder.bias", {1200}, 1));
  folder.refused(LFFN_ERROR_BAD_MODEL, "lm_head.bias and lm_head.decoder.bias differ");
}

TEST(Families, RefusedInOneSentence) {
  const auto with = [](const char* from, const char* to, const char* part) {
    MadeFolder folder("roberta-classes");
    folder.configure(from, to);
    folder.refused(LFFN_ERROR_UNSUPPORTED, part);
  };
  with("\"model_type\": \"roberta\"", "\"model_type\": \"funnel\"",
       "config: 'model_type' is 'funnel', which is not supported; choose a model of the types bert, roberta, "
       "xlm-roberta");
  with("\"absolute\"", "\"relative_key\"",
       "'position_embedding_type' is 'relative_key', which is not supported; choose");
  with("\"absolute\"", "\"rotary\"", "'position_embedding_type' is 'rotary'");
  with("\"pad_token_id\"", "\"is_decoder\": true, \"pad_token_id\"",
       "'is_decoder' is true, but only encoders can be run; choose one");
  with("\"pad_token_id\"", "\"add_cross_attention\": true, \"pad_token_id\"", "'add_cross_attention' is true");
  with("RobertaForSequenceClassification", "RobertaForMultipleChoice", "save the encoder alone");
  MadeFolder none("roberta-classes");
  none.configure("\"max_position_embeddings\": 66", "\"max_position_embeddings\": 1");
  none.refused(LFFN_ERROR_BAD_MODEL, "'max_position_embeddings' is 1, too few for a token behind the padding's");
  MadeFolder folder("roberta-classes");
  folder.configure("\"gelu\"", "\"quick_gelu\"");
  folder.refused(
      LFFN_ERROR_BAD_MODEL,
      "'hidden_act' must be one of \"gelu\", \"gelu_new\", \"gelu_pytorch_tanh\", \"relu\", \"silu\", \"swish\"");

  MadeFolder old("roberta-classes");
  old.tensors.clear();
  old.refused(LFFN_ERROR_IO, "'model.safetensors': there is no such file");
  old.files["pytorch_model.bin"] = "x";
  old.refused(LFFN_ERROR_BAD_MODEL, "pytorch_model.bin: the file is not PyTorch's: it is not a zip");
}

TEST(Families, ActivationsOfDenseLayers) {
  MadeFolder folder("roberta-classes");
  const std::vector<float> gelu = hidden_of(*folder.load());
  folder.configure("\"gelu\"", "\"gelu_new\"");
  const std::vector<float> tanh = hidden_of(*folder.load());
  folder.configure("\"gelu_new\"", "\"gelu_pytorch_tanh\"");
  EXPECT_EQ(hidden_of(*folder.load()), tanh);
  folder.configure("\"gelu_pytorch_tanh\"", "\"relu\"");
  const std::vector<float> relu = hidden_of(*folder.load());
  EXPECT_LT(distance(tanh.data(), gelu.data(), gelu.size()), 0.05) << "two forms of the same";
  EXPECT_NE(tanh, gelu);
  EXPECT_GT(distance(relu.data(), gelu.data(), gelu.size()), 0.05);
  folder.configure("\"relu\"", "\"silu\"");
  const std::vector<float> silu = hidden_of(*folder.load());
  EXPECT_GT(distance(silu.data(), gelu.data(), gelu.size()), 0.01);
  folder.configure("\"silu\"", "\"swish\"");
  EXPECT_EQ(hidden_of(*folder.load()), silu);
}

TEST(Families, ShardedWeights) {
  MadeFolder folder("roberta-classes");
  const std::vector<float> expected = scores_of(*folder.load());
  std::vector<MadeTensor> shards[2];
  std::string map;
  for (size_t i = 0; i < folder.tensors.size(); ++i) {
    const std::string file = i % 2 == 0 ? "model-1-of-2.safetensors" : "model-2-of-2.safetensors";
    map += (i > 0 ? ",\"" : "\"") + folder.tensors[i].name + "\":\"" + file + "\"";
    shards[i % 2].push_back(folder.tensors[i]);
  }
  folder.tensors.clear();
  folder.files["model.safetensors.index.json"] = "{\"metadata\":{\"total_size\":1},\"weight_map\":{" + map + "}}";
  folder.files["model-1-of-2.safetensors"] = safetensors_of(shards[0]);
  folder.refused(LFFN_ERROR_IO, "model-2-of-2.safetensors");
  folder.files["model-2-of-2.safetensors"] = safetensors_of(shards[1]);
  EXPECT_EQ(scores_of(*folder.load()), expected);
  shards[1].pop_back();
  folder.files["model-2-of-2.safetensors"] = safetensors_of(shards[1]);
  folder.refused(LFFN_ERROR_BAD_MODEL, "this tensor is missing");
  shards[1].push_back(shards[0][0]);
  folder.files["model-2-of-2.safetensors"] = safetensors_of(shards[1]);
  folder.refused(LFFN_ERROR_BAD_MODEL, "are the same tensor");
  for (const char* name : {"../a", "/a", "..", "", "a/b", "a\\\\b"}) {
    folder.files["model.safetensors.index.json"] = std::string("{\"weight_map\":{\"a\":\"") + name + "\"}}";
    folder.refused(LFFN_ERROR_BAD_MODEL, "is not the name of a file in this folder");
  }
  for (const char* text : {"{}", "{\"weight_map\":[]}", "{\"weight_map\":{\"a\":1}}"}) {
    folder.files["model.safetensors.index.json"] = text;
    folder.refused(LFFN_ERROR_BAD_MODEL, "'weight_map' must be");
  }
}

}  // namespace
}  // namespace lffn
