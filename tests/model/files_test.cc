// SPDX-License-Identifier: Apache-2.0
// Folders and files that are no model are refused by name, before anything large is allocated.
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <limits>

#include "model_fixture.h"
#include "tests/support/short_calls.h"

namespace lffn {
namespace {

class ModelFiles : public WithModel {
 protected:
  void SetUp() override {
    WithModel::SetUp();
    good_ = random_model({});
  }
  // The good model with one text of its config replaced.
  std::string config_with(const std::string& from, const std::string& to) const {
    std::string text = good_.config;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
  void refused(const std::string& config, const std::string& part) {
    write(config, good_.tensors);
    load_refused(part);
  }
  void refused(const std::function<void(std::vector<TensorView>&)>& change, const std::string& part) {
    std::vector<TensorView> tensors = good_.tensors;
    change(tensors);
    write(good_.config, tensors);
    load_refused(part);
  }
  void write(const std::string& config, const std::vector<TensorView>& tensors) const {
    write_safetensors(path("model"),
                      {{"format", "lookupffn"}, {"format_version", "1"}, {"kind", "model"}, {"config", config}},
                      tensors);
  }
  void load_refused(const std::string& part, lffn_status status = LFFN_ERROR_BAD_MODEL) {
    lffn_model* model = nullptr;
    EXPECT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model), status) << part;
    EXPECT_EQ(model, nullptr);
    EXPECT_NE(std::string(lffn_last_error()).find(part), std::string::npos) << lffn_last_error() << " lacks " << part;
  }
  static TensorView& named(std::vector<TensorView>& tensors, const std::string& name) {
    for (TensorView& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    ADD_FAILURE() << name;
    return tensors[0];
  }

  RandomModel good_;
};

TEST_F(ModelFiles, Configs) {
  write(good_.config, good_.tensors);
  EXPECT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
  const std::string layers = "\"num_hidden_layers\": 2", heads = "\"num_attention_heads\": 4";
  refused(config_with(layers, "\"num_hidden_layers\": 2147483647"), "'num_hidden_layers' is 2147483647");
  refused(config_with(layers, "\"num_hidden_layers\": 2147483648"), "'num_hidden_layers' must be a whole number");
  refused(config_with(layers, "\"num_hidden_layers\": 0"), "'num_hidden_layers' is 0");
  refused(config_with(layers, "\"num_hidden_layers\": 4096"), "encoder.layer.2.attention.LayerNorm.weight: this");
  refused(config_with(layers, "\"num_hidden_layers\": 1"), "encoder.layer.1.");
  refused(config_with(layers, "\"layers\": 2"), "'num_hidden_layers' is missing");
  refused(config_with(heads + ", \"attention_head_size\": 16", "\"num_attention_heads\": 3"), "does not divide");
  refused(config_with(heads, "\"num_attention_heads\": 0"), "'num_attention_heads' is 0");
  refused(config_with(heads, "\"num_attention_heads\": 1048576"), "times attention_head_size");
  refused(config_with("\"attention_head_size\": 16", "\"attention_head_size\": 0"), "'attention_head_size' is 0");
  refused(config_with("\"attention_head_size\": 16", "\"attention_head_size\": 8"),
          "query.weight: shape [64,64], expected [32,64]");
  refused(config_with("\"hidden_size\": 64", "\"hidden_size\": 0"), "'hidden_size' is 0");
  refused(config_with("\"hidden_size\": 64", "\"hidden_size\": 1048577"), "'hidden_size' is 1048577");
  refused(config_with("\"hidden_size\": 64", "\"hidden_size\": -64"), "'hidden_size' must be");
  refused(config_with("\"vocab_size\": 301", "\"vocab_size\": 0"), "'vocab_size' is 0");
  refused(config_with("\"vocab_size\": 301", "\"vocab_size\": 2147483647"), "expected [2147483647,64]");
  refused(config_with("\"max_position_embeddings\": 600", "\"max_position_embeddings\": 0"), "is 0, allowed");
  refused(config_with("\"max_position_embeddings\": 600", "\"max_position_embeddings\": 2147483647"),
          "expected [2147483649,64]");
  refused(config_with("{", "{\"pad_token_id\": 601, "), "'pad_token_id' is 601");
  refused(
      config_with("\"max_position_embeddings\": 600", "\"max_position_embeddings\": 2147483647, \"pad_token_id\": 0"),
      "'pad_token_id' is 0, allowed is 1 to");
  refused(config_with("{", "{\"type_vocab_size\": 2, "), "token_type_embeddings.weight: shape [1,64], expected [2,64]");
  refused(config_with("\"intermediate_size\": 128", "\"intermediate_size\": 0"), "'intermediate_size' is 0");
  refused(config_with("\"intermediate_size\": 128, ", ""), "'intermediate_size' is missing");
  refused(config_with("\"ffn_num_table\": 12", "\"ffn_num_table\": 0"), "'ffn_num_table' is 0");
  refused(config_with("{", "{\"num_classes\": 4, "), "classifier.out_proj.weight: shape [3,64], expected [4,64]");
  refused(config_with("{", "{\"layer_norm_eps\": -1.0, "), "'layer_norm_eps' is -1");
  refused(config_with("{", "{\"hidden_act\": \"quick_gelu\", "), "'hidden_act' must be");
  refused(config_with("{", "{\"output_size\": 32, "), "'output_size' is 32");
  refused(config_with("{", "{\"ffn_kinds\": [\"lookup\"], "), "'ffn_kinds' names 1 layers");
  refused(config_with("{", "{\"ffn_kinds\": [], "), "'ffn_kinds' names 0 layers");
  refused(config_with("{", "{\"ffn_kinds\": [\"lookup\", \"other\"], "), "'ffn_kinds' must be a list");
  refused(config_with("{", "{\"ffn_kinds\": [\"lookup\", [\"vanilla\"]], "), "'ffn_kinds' must be a list");
  refused(config_with("{", "{\"ffn_kinds\": \"lookup\", "), "'ffn_kinds' must be a list");
  refused(config_with("{", "{\"ffn_kinds\": [\"vanilla\", \"lookup\"], "), "encoder.layer.0.FFN.: 'ffn_kinds' says");
  refused(config_with("{", "{\"ffn_linear\": 1, "), "'ffn_linear' must be true or false");
  write(config_with("{", "{\"ffn_linear\": [false, true], "), good_.tensors);
  lffn_model_free(model_);
  EXPECT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model_), LFFN_OK) << "of dense layers it says nothing";
  write(config_with("{", "{\"ffn_linear\": [true, false], "), good_.tensors);
  load_refused("'ffn_linear' is true, but lookups in lookupffn models have no linear layer", LFFN_ERROR_UNSUPPORTED);
  refused("[]", "must be a JSON object");
  refused("{", "not valid JSON");
}

TEST_F(ModelFiles, Tensors) {
  refused([](auto& tensors) { named(tensors, "encoder.layer.1.FFN.1.weight").name = "other"; },
          "encoder.layer.1.FFN.tables: this tensor is missing, and so is");
  refused([](auto& tensors) { named(tensors, "encoder.layer.1.FFN.3.bias").name = "other"; },
          "encoder.layer.1.FFN.3.bias: this tensor is missing");
  refused([](auto& tensors) { named(tensors, "encoder.layer.0.FFN.hash.projection.bias").name = "other"; },
          "encoder.layer.0.FFN.hash.projection.bias: this tensor is missing");
  refused([](auto& tensors) { named(tensors, "lm_head.decoder.bias").name = "lm_head.other"; },
          "lm_head.decoder.bias: this tensor is missing");
  refused([](auto& tensors) { named(tensors, "classifier.out_proj.weight").name = "classifier.other"; },
          "classifier.out_proj.weight: this tensor is missing");
  refused(
      [](auto& tensors) {
        named(tensors, "encoder.LayerNorm.bias").shape = {8, 8};
      },
      "encoder.LayerNorm.bias: shape [8,8], expected [64]");
  refused(
      [](auto& tensors) {
        named(tensors, "encoder.layer.0.FFN.tables").shape = {12, 64, 16};
      },
      "encoder.layer.0.FFN.tables: shape [12,64,16], expected [12,16,64]");
  refused([](auto& tensors) { named(tensors, "classifier.dense.weight").dtype = DType::kI32; },
          "classifier.dense.weight: element type I32");
  refused([](auto& tensors) { named(tensors, "encoder.layer.0.FFN.bias").dtype = DType::kU32; },
          "encoder.layer.0.FFN.bias: element type U32");
  const auto add = [](const char* name) {
    return [name](std::vector<TensorView>& tensors) {
      TensorView copy = named(tensors, "encoder.LayerNorm.bias");
      copy.name = name;
      tensors.push_back(copy);
    };
  };
  refused(add("pooler.dense.bias"), "'pooler.dense.bias': a model with this config has no such tensor");
  refused(add("encoder.layer.0.FFN.1.bias"), "'encoder.layer.0.FFN.1.bias': a model");
  refused(add("encoder.layer.2.attention.LayerNorm.bias"), "'encoder.layer.2.attention.LayerNorm.bias': a model");
  refused(add("roberta.encoder.LayerNorm.bias"), "are the same tensor");
}

TEST_F(ModelFiles, NumbersThatAreNone) {
  for (TensorView& tensor : good_.tensors) {
    float* last = reinterpret_cast<float*>(const_cast<uint8_t*>(tensor.data) + tensor.size) - 1;
    const float kept = *last;
    *last = std::numeric_limits<float>::quiet_NaN();
    write(good_.config, good_.tensors);
    load_refused(tensor.name + ": element");
    *last = kept;
  }
}

TEST_F(ModelFiles, Metadata) {
  const auto with = [&](const char* key, const char* value, const std::string& part) {
    std::map<std::string, std::string> metadata = {
        {"format", "lookupffn"}, {"format_version", "1"}, {"kind", "model"}, {"config", good_.config}};
    metadata[key] = value;
    write_safetensors(path("model"), metadata, good_.tensors);
    load_refused(part);
  };
  with("kind", "layer", "\"kind\" is 'layer', expected 'model'");
  with("format_version", "2", "\"format_version\" is '2'");
  with("format", "pt", "\"format\" is 'pt'");
}

// The prefixes, the second name of the bias, a decoder of its own and half precision.
TEST_F(ModelFiles, OtherNamesAndTypes) {
  write(good_.config, good_.tensors);
  ASSERT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model_), LFFN_OK);
  ASSERT_EQ(model_told::get(model_, info_), LFFN_OK);
  const Sequences input = sequences({9}, info_.vocab_size);
  const auto logits = [&] {
    const int64_t position = 4;
    std::vector<float> row(static_cast<size_t>(info_.vocab_size));
    EXPECT_EQ(short_calls::logits(model_, input.ids.data(), input.offsets.data(), 1, &position, 1, row.data()),
              LFFN_OK);
    return row;
  };
  const std::vector<float> expected = logits();
  std::vector<TensorView> tensors = good_.tensors;
  for (TensorView& tensor : tensors) {
    tensor.name = (tensor.name[0] == 'e' ? "model.roberta." : "model.") + tensor.name;
  }
  TensorView bias = named(tensors, "model.lm_head.decoder.bias");
  bias.name = "lm_head.bias";
  tensors.push_back(bias);
  TensorView decoder = named(tensors, "model.roberta.embeddings.word_embeddings.weight");
  decoder.name = "lm_head.decoder.weight";
  tensors.push_back(decoder);
  write(good_.config, tensors);
  lffn_model_free(model_);
  ASSERT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(logits(), expected);
  model_told::Info tied = info_;
  ASSERT_EQ(model_told::get(model_, tied), LFFN_OK);
  EXPECT_EQ(tied.memory_bytes, info_.memory_bytes) << "a decoder equal to the word embeddings is stored once";

  std::vector<float> twice(decoder.size / sizeof(float));
  std::memcpy(twice.data(), decoder.data, decoder.size);
  for (float& value : twice) value *= 2;
  tensors.back().data = reinterpret_cast<const uint8_t*>(twice.data());
  write(good_.config, tensors);
  lffn_model_free(model_);
  ASSERT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
  EXPECT_NE(logits(), expected);
  ASSERT_EQ(lffn_model_save(model_, path("saved").c_str(), nullptr), LFFN_OK);
  const std::vector<float> own = logits();
  lffn_model_free(model_);
  ASSERT_EQ(lffn_model_load(path("saved").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
  EXPECT_EQ(logits(), own);

  std::vector<float> other(bias.size / sizeof(float), 1.5f);
  tensors[tensors.size() - 2].data = reinterpret_cast<const uint8_t*>(other.data());
  write(good_.config, tensors);
  load_refused("are two names of one vector");

  std::vector<uint16_t> halves(bias.size / sizeof(float), 0x3f80);  // ones, as bf16
  tensors[tensors.size() - 2].data = reinterpret_cast<const uint8_t*>(halves.data());
  tensors[tensors.size() - 2].dtype = DType::kBF16;
  tensors[tensors.size() - 2].size /= 2;
  named(tensors, "model.lm_head.decoder.bias") = tensors[tensors.size() - 2];
  tensors.erase(tensors.end() - 2);
  write(good_.config, tensors);
  lffn_model_free(model_);
  model_ = nullptr;
  EXPECT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
}

TEST_F(ModelFiles, Folders) {
  ASSERT_EQ(mkdir(path("model").c_str(), 0700), 0);
  const auto load_status = [&] {
    lffn_model_free(model_);
    model_ = nullptr;
    return lffn_model_load(path("model").c_str(), nullptr, &model_);
  };
  EXPECT_EQ(load_status(), LFFN_ERROR_IO);
  std::ofstream(path("model/config.json")) << good_.config;
  EXPECT_EQ(load_status(), LFFN_ERROR_IO);
  EXPECT_NE(std::string(lffn_last_error()).find("model.safetensors"), std::string::npos) << lffn_last_error();
  write_safetensors(path("model/model.safetensors"), {}, good_.tensors);
  EXPECT_EQ(load_status(), LFFN_OK) << lffn_last_error();
  std::ofstream(path("model/config.json")) << "{}";
  EXPECT_EQ(load_status(), LFFN_ERROR_BAD_MODEL);
  EXPECT_EQ(lffn_model_load(path("none").c_str(), nullptr, &model_), LFFN_ERROR_IO);
}

// As in Hugging Face's cache, whose folders hold links to files elsewhere; SECURITY.md speaks of them.
TEST_F(ModelFiles, SymbolicLinksAreFollowed) {
  for (const char* folder : {"blobs", "model"}) ASSERT_EQ(mkdir(path(folder).c_str(), 0700), 0);
  std::ofstream(path("blobs/1")) << good_.config;
  write_safetensors(path("blobs/2"), {}, good_.tensors);
  ASSERT_EQ(symlink("../blobs/1", path("model/config.json").c_str()), 0);
  ASSERT_EQ(symlink(path("blobs/2").c_str(), path("model/model.safetensors").c_str()), 0);
  EXPECT_EQ(lffn_model_load(path("model").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
  lffn_model_free(model_);
  model_ = nullptr;
  ASSERT_EQ(unlink(path("model/config.json").c_str()), 0);
  ASSERT_EQ(symlink("/dev/zero", path("model/config.json").c_str()), 0);
  load_refused("not a regular file", LFFN_ERROR_IO);
}

// What lffn_model_save wrote may lie in a folder, alone or beside files that are none of a model.
TEST_F(ModelFiles, ASavedFileInAFolder) {
  ASSERT_EQ(mkdir(path("saved").c_str(), 0700), 0);
  std::ofstream(path("saved/README.md")) << "about";
  write_safetensors(path("saved/model.safetensors"), {{"format", "pt"}}, good_.tensors);
  EXPECT_EQ(lffn_model_load(path("saved").c_str(), nullptr, &model_), LFFN_ERROR_IO) << "weights without a config";
  EXPECT_NE(std::string(lffn_last_error()).find("config.json"), std::string::npos) << lffn_last_error();
  write(good_.config, good_.tensors);
  ASSERT_EQ(rename(path("model").c_str(), path("saved/model.safetensors").c_str()), 0);
  EXPECT_EQ(lffn_model_load(path("saved").c_str(), nullptr, &model_), LFFN_OK) << lffn_last_error();
  lffn_model_free(model_);
  model_ = nullptr;
  ASSERT_EQ(truncate(path("saved/model.safetensors").c_str(), 100), 0);
  EXPECT_EQ(lffn_model_load(path("saved").c_str(), nullptr, &model_), LFFN_ERROR_BAD_MODEL) << "cut short";
  EXPECT_EQ(std::string(lffn_last_error()).find(path("saved/model.safetensors")), 0u) << lffn_last_error();
  std::ofstream(path("saved/config.json")) << "{}";
  model_ = nullptr;
  EXPECT_EQ(lffn_model_load(path("saved").c_str(), nullptr, &model_), LFFN_ERROR_BAD_MODEL) << "a config of its own";
}

TEST_F(ModelFiles, EveryTruncationIsRefused) {
  RandomModelShape shape;
  shape.hidden_size = 4;
  shape.num_heads = 1;
  shape.head_size = 4;
  shape.vocab_size = 5;
  shape.max_tokens = 3;
  shape.intermediate_size = 2;
  shape.num_tables = 1;
  shape.table_size = 2;
  shape.block_size = 2;
  random_model(shape).write(path("model"));
  const std::string whole = content_of(path("model"));
  for (size_t size = 0; size <= whole.size(); size += size < 64 ? 1 : 37) {
    const std::string part = whole.substr(0, size);
    lffn_model* model = nullptr;
    EXPECT_EQ(lffn_model_load_memory(part.data(), part.size(), nullptr, &model), LFFN_ERROR_BAD_MODEL) << size;
  }
  lffn_model* model = nullptr;
  EXPECT_EQ(lffn_model_load_memory(whole.data(), whole.size(), nullptr, &model), LFFN_OK) << lffn_last_error();
  lffn_model_free(model);
}

}  // namespace
}  // namespace lffn
