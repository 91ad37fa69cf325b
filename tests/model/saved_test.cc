// SPDX-License-Identifier: Apache-2.0
// One file holds all that a folder says, and gives the same bits.
#include <array>
#include <filesystem>
#include <set>

#include "layer/layer.h"
#include "made_folder.h"
#include "model/text_batch.h"
#include "tests/kernels/all_kernels.h"

namespace lffn {
namespace {

class Saved : public InFolder {
 protected:
  std::unique_ptr<const Model> again(const Model& model, const ModelLoadOptions& options = ModelLoadOptions()) {
    model.save(path("saved"));
    return load_model(path("saved"), options, usable_kernels());
  }
};

void add_lm_head(MadeFolder& folder) {
  folder.tensors.push_back(made_tensor("lm_head.dense.weight", {48, 48}));
  folder.tensors.push_back(made_tensor("lm_head.dense.bias", {48}));
  folder.tensors.push_back(made_tensor("lm_head.layer_norm.weight", {48}, 1));
  folder.tensors.push_back(made_tensor("lm_head.layer_norm.bias", {48}));
  folder.tensors.push_back(made_tensor("lm_head.bias", {1200}));
}

void make_sentence(MadeFolder& folder) {
  folder.files["modules.json"] =
      "[{\"path\":\"\",\"type\":\"sentence_transformers.models.Transformer\"},"
      "{\"path\":\"1_Pooling\",\"type\":\"sentence_transformers.models.Pooling\"},"
      "{\"path\":\"2_Dense\",\"type\":\"sentence_transformers.models.Dense\"},"
      "{\"path\":\"3_Normalize\",\"type\":\"sentence_transformers.models.Normalize\"}]";
  folder.files["1_Pooling/config.json"] =
      "{\"pooling_mode_max_tokens\":true,\"pooling_mode_mean_tokens\":true,\"include_prompt\":false}";
  folder.files["2_Dense/config.json"] = "{\"in_features\":96,\"out_features\":20,\"bias\":false}";
  folder.files["2_Dense/model.safetensors"] = safetensors_of({made_tensor("linear.weight", {20, 96})});
  folder.files["sentence_bert_config.json"] = "{\"max_seq_length\": 33, \"do_lower_case\": true}";
  folder.files["config_sentence_transformers.json"] =
      "{\"prompts\": {\"b \\\"q\\\"\": \"B\\n\", \"a\": \"A \"}, \"default_prompt_name\": \"a\"}";
}

TEST_F(Saved, EveryFamilyAndElementType) {
  for (const char* name : {"roberta-classes", "distilbert-classes"}) {
    for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8}) {
      MadeFolder folder(name);
      if (std::string(name) == "roberta-classes") add_lm_head(folder);
      ModelLoadOptions options;
      options.linear_dtype = dtype;
      const auto model = folder.load(options), saved = again(*model);
      EXPECT_EQ(saved->info().linear_dtype, dtype);
      EXPECT_STREQ(saved->family().name, model->family().name);
      EXPECT_EQ(saved->labels(), model->labels());
      EXPECT_EQ(hidden_of(*saved), hidden_of(*model));
      EXPECT_EQ(scores_of(*saved), scores_of(*model));
      EXPECT_EQ(embeddings_of(*saved), embeddings_of(*model));
      if (model->has_lm_head()) {
        EXPECT_EQ(logits_of(*saved), logits_of(*model));
      }
      const std::string first = content_of(path("saved"));
      saved->save(path("twice"));
      EXPECT_EQ(content_of(path("twice")), first) << "saving again writes the same file";
      if (dtype != LFFN_DTYPE_BF16) continue;
      options.linear_dtype = LFFN_DTYPE_F32;
      const auto wide = load_model(path("saved"), options, usable_kernels());
      EXPECT_EQ(hidden_of(*wide), hidden_of(*model)) << "held as bfloat16, multiplied as float32";
      EXPECT_LT(model->info().memory_bytes, wide->info().memory_bytes);
    }
  }
}

TEST_F(Saved, SentenceModules) {
  MadeFolder folder("distilbert-classes");
  make_sentence(folder);
  const auto model = folder.load(), saved = again(*model);
  EXPECT_EQ(model->embedding_size(std::nullopt), 20);
  EXPECT_EQ(embeddings_of(*saved), embeddings_of(*model));
  EXPECT_EQ(embeddings_of(*saved, [](ModelCall& call) { call.scaling = Scaling::kNo; }),
            embeddings_of(*model, [](ModelCall& call) { call.scaling = Scaling::kNo; }));
  EXPECT_EQ(saved->own_max_tokens(), 33);
  EXPECT_TRUE(saved->sentence().lower_case);
  EXPECT_FALSE(saved->sentence().include_prompt);
  EXPECT_EQ(saved->sentence().prompts, model->sentence().prompts);
  EXPECT_EQ(default_prompt(*saved), "A ");
  EXPECT_EQ(find_prompt(*saved, "b \"q\""), "B\n");
}

// A lookup FFN in each layer, its tables, its hash and the linear layer beside one in every element type.
TEST_F(Saved, Lookups) {
  MadeFolder folder("distilbert-classes");
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "distilbert.transformer.layer." + std::to_string(i) + ".";
    folder.remove(layer + "ffn.");
    std::vector<Memory> memory;
    const char* config =
        "{\"hidden_size\": 48, \"ffn_num_table\": 12, \"ffn_table_size\": 16, \"layer_norm\": false, "
        "\"projection_type\": \"bh4\", \"block_size\": 16}";
    for (const TensorView& view : random_weights(parse_layer_config(config), 3, memory)) {
      MadeTensor tensor;
      tensor.name = layer + "FFN." + view.name;
      tensor.shape = view.shape;
      tensor.data.resize(view.size);
      view.read(0, view.size, tensor.data.data());
      folder.tensors.push_back(std::move(tensor));
    }
  }
  folder.tensors.push_back(made_tensor("distilbert.transformer.layer.1.FFN.linear.weight", {48, 48}));
  folder.tensors.push_back(made_tensor("distilbert.transformer.layer.1.FFN.linear.bias", {48}));
  folder.add_config(
      "\"projection_type\": [\"bh4\", \"bh4\"], \"block_size\": 16, \"ffn_num_table\": 12, \"ffn_table_size\": 16, "
      "\"ffn_linear\": [false, true]");
  make_sentence(folder);
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8}) {
    ModelLoadOptions options;
    options.table_dtype = dtype;
    options.hash_dtype = dtype == LFFN_DTYPE_INT8 ? LFFN_DTYPE_INT8 : LFFN_DTYPE_F32;
    options.linear_dtype = options.hash_dtype;
    options.embedding_dtype = dtype;
    const auto model = folder.load(options), saved = again(*model);
    EXPECT_EQ(saved->info().table_dtype, dtype);
    EXPECT_EQ(saved->info().hash_dtype, options.hash_dtype);
    EXPECT_EQ(saved->info().linear_dtype, options.linear_dtype);
    EXPECT_EQ(saved->info().embedding_dtype, dtype);
    EXPECT_EQ(saved->info().num_lookup_layers, 2);
    EXPECT_EQ(hidden_of(*saved), hidden_of(*model));
    EXPECT_EQ(embeddings_of(*saved), embeddings_of(*model));
  }
}

// Stored vectors name their model by it.
TEST_F(Saved, FingerprintsNameWhatVectorsDependOn) {
  MadeFolder folder("distilbert-classes");
  make_sentence(folder);
  std::set<std::array<uint8_t, Digest::kBytes>> seen;
  const auto is_new = [&](const Model& model) { return seen.insert(model.fingerprint()).second; };
  for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_BF16, LFFN_DTYPE_INT8}) {
    ModelLoadOptions options;
    options.linear_dtype = dtype;
    const auto model = folder.load(options);
    EXPECT_TRUE(is_new(*model));
    EXPECT_EQ(again(*model)->fingerprint(), model->fingerprint()) << "folder and file are one model";
    options.num_threads = 3;
    EXPECT_EQ(folder.load(options)->fingerprint(), model->fingerprint());
    options.attention_dtype = LFFN_DTYPE_INT8;
    EXPECT_EQ(is_new(*folder.load(options)), dtype != LFFN_DTYPE_INT8) << "which attends in int8 by itself";
  }
  folder.load()->save(path("saved"));
  for (const Kernels* kernels : all_kernels()) {
    EXPECT_FALSE(is_new(*load_model(path("saved"), ModelLoadOptions(), *kernels))) << kernels->name;
  }
  folder.tensors.back().data[0] ^= 1;
  EXPECT_TRUE(is_new(*folder.load())) << "one bit of one weight";
  folder.files["config_sentence_transformers.json"] = "{\"prompts\": {\"a\": \"A \"}, \"default_prompt_name\": \"a\"}";
  EXPECT_TRUE(is_new(*folder.load())) << "prompts";
  folder.files["1_Pooling/config.json"] = "{\"pooling_mode_max_tokens\":true,\"pooling_mode_mean_tokens\":true}";
  EXPECT_TRUE(is_new(*folder.load())) << "whether prompts are pooled";
}

TEST_F(Saved, UntiedDecoders) {
  MadeFolder folder("roberta-classes");
  add_lm_head(folder);
  folder.add_config("\"tie_word_embeddings\": false");
  folder.tensors.push_back(made_tensor("lm_head.decoder.weight", {1200, 48}));
  auto model = folder.load();
  EXPECT_EQ(logits_of(*again(*model)), logits_of(*model));
  folder.tensors.back().data = folder.tensor("roberta.embeddings.word_embeddings.weight").data;
  model = folder.load();  // equal to the word embeddings, so held once
  EXPECT_EQ(logits_of(*again(*model)), logits_of(*model));
}

// The settings in a single file come from outside, too.
TEST_F(Saved, BadSettingsAreRefused) {
  MadeFolder folder("distilbert-classes");
  make_sentence(folder);
  folder.load()->save(path("saved"));
  const FileBytes bytes(path("saved"));
  const Safetensors file = parse_safetensors(bytes);
  const std::string good = file.metadata.at("sentence");
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::map<std::string, std::string> metadata = file.metadata;
    std::string& text = metadata["sentence"];
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    text.replace(at, from.size(), to);
    std::vector<MadeTensor> tensors;
    for (const TensorView& view : file.tensors) {
      MadeTensor tensor;
      tensor.name = view.name;
      tensor.dtype = dtype_name(view.dtype);
      tensor.shape = view.shape;
      tensor.data.resize(view.size);
      view.read(0, view.size, tensor.data.data());
      tensors.push_back(std::move(tensor));
    }
    std::vector<TensorView> views;
    for (size_t i = 0; i < tensors.size(); ++i) {
      views.push_back(file.tensors[i]);
      views.back().source = nullptr;
      views.back().data = reinterpret_cast<const uint8_t*>(tensors[i].data.data());
    }
    write_safetensors(path("bad"), metadata, views);
    expect_error(LFFN_ERROR_BAD_MODEL, "", [&] { load_model(path("bad"), ModelLoadOptions(), usable_kernels()); });
  };
  refused("\"mean\"", "\"middle\"");
  refused("[\"max\", \"mean\"]", "[]");
  refused("[\"max\", \"mean\"]", "7");
  refused("[\"max\", \"mean\"]", "[\"max\"]");
  refused("\"inputs\": 96", "\"inputs\": 0");
  refused("\"inputs\": 96", "\"inputs\": 97");
  refused("\"outputs\": 20", "\"outputs\": 1048577");
  refused("\"outputs\": 20", "\"outputs\": 21");
  refused("\"tanh\"", "\"exp\"");
  refused("\"default_prompt\": 1", "\"default_prompt\": 2");
  refused("\"include_prompt\": false", "\"include_prompt\": 0");
  refused("\"prompts\": [", "\"prompts\": [[\"a\"], ");
  refused("{", "[");
}

}  // namespace
}  // namespace lffn
