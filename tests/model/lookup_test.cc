// Lookup FFNs in the encoders of transformers.
#include "layer/layer.h"
#include "made_folder.h"

namespace lffn {
namespace {

// With the FFNs of both layers replaced; each config is a layer's own file's.
struct LookupMaker : MadeFolder {
  explicit LookupMaker(const std::string& name, const std::string& prefix, const std::string& dense,
                       const std::vector<std::string>& layers)
      : MadeFolder(name) {
    for (size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].empty()) continue;
      const std::string layer = prefix + std::to_string(i) + ".";
      const std::vector<MadeTensor> all = tensors;
      for (const MadeTensor& tensor : all) {
        if (tensor.name.compare(0, layer.size(), layer) != 0) continue;
        const std::string rest = tensor.name.substr(layer.size());
        const bool is_dense =
            dense == "ffn." ? rest.compare(0, 4, "ffn.") == 0
                            : rest.compare(0, 13, "intermediate.") == 0 || rest.compare(0, 12, "output.dense") == 0;
        if (is_dense) remove(tensor.name);
      }
      std::vector<Memory> memory;
      for (const TensorView& view : random_weights(parse_layer_config(layers[i]), 7 + i, memory)) {
        MadeTensor tensor;
        tensor.name = layer + "FFN." + view.name;
        tensor.shape = view.shape;
        tensor.data.resize(view.size);
        view.read(0, view.size, tensor.data.data());
        tensors.push_back(std::move(tensor));
      }
    }
  }
};

std::string layer_config(const std::string& projection, int block, int tables, int size) {
  return "{\"hidden_size\": 48, \"ffn_num_table\": " + std::to_string(tables) +
         ", \"ffn_table_size\": " + std::to_string(size) + ", \"projection_type\": \"" + projection +
         "\", \"block_size\": " + std::to_string(block) + ", \"layer_norm\": false}";
}

constexpr char kSame[] =
    "\"projection_type\": \"bh4\", \"block_size\": 16, \"ffn_num_table\": 12, \"ffn_table_size\": 16";

TEST(LookupsInEncoders, OneValueOrOneForEachLayer) {
  const std::string same = layer_config("bh4", 16, 12, 16);
  LookupMaker folder("roberta-classes", "roberta.encoder.layer.", "", {same, same});
  const std::string plain = folder.files["config.json"];
  folder.add_config(kSame);
  const auto model = folder.load();
  EXPECT_EQ(model->info().num_lookup_layers, 2);
  EXPECT_EQ(model->info().intermediate_size, 0);
  const std::vector<float> expected = hidden_of(*model);
  folder.add_config("\"ffn_kinds\": [\"lookup\", \"lookup\"], \"layer_norm\": false");
  EXPECT_EQ(hidden_of(*folder.load()), expected);
  folder.files["config.json"] = plain;
  folder.add_config(
      "\"projection_type\": [\"bh4\", \"bh4\"], \"block_size\": [16, 16], \"ffn_num_table\": [12, 12], "
      "\"ffn_table_size\": 16, \"ffn_activation\": [\"gelu\", \"gelu\"]");
  EXPECT_EQ(hidden_of(*folder.load()), expected);
  folder.configure("[\"gelu\", \"gelu\"]", "[\"gelu\", \"sigmoid\"]");
  const std::vector<float> sigmoid = hidden_of(*folder.load());
  EXPECT_NE(sigmoid, expected);
  folder.configure("[\"gelu\", \"sigmoid\"]", "[\"gelu\"]");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'ffn_activation' has 1 entries, 'num_hidden_layers' is 2");
  folder.configure("[\"gelu\"]", "[\"gelu\", 7]");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'activation' must be one of");
}

TEST(LookupsInEncoders, LayersOfDifferentShapes) {
  LookupMaker folder("roberta-classes", "roberta.encoder.layer.", "",
                     {layer_config("bh2", 8, 12, 16), layer_config("dense", 0, 5, 64)});
  folder.add_config(
      "\"projection_type\": [\"bh2\", \"dense\"], \"block_size\": [8, 0], \"ffn_num_table\": [12, 5], "
      "\"ffn_table_size\": [16, 64]");
  EXPECT_EQ(folder.load()->info().num_lookup_layers, 2);
  folder.configure("[12, 5]", "[12, 6]");
  folder.refused(LFFN_ERROR_BAD_MODEL, "encoder.layer.1.FFN.hash.projection.weight: shape [30,48], expected [36,48]");
}

TEST(LookupsInEncoders, BesideDenseLayers) {
  LookupMaker folder("roberta-classes", "roberta.encoder.layer.", "", {"", layer_config("bh4", 16, 12, 16)});
  folder.add_config(
      "\"ffn_kinds\": [\"vanilla\", \"lookup\"], \"projection_type\": [null, \"bh4\"], \"block_size\": [\"x\", 16], "
      "\"ffn_num_table\": [null, 12], \"ffn_table_size\": [{}, 16]");
  const auto model = folder.load();
  EXPECT_EQ(model->info().num_lookup_layers, 1);
  EXPECT_EQ(model->info().intermediate_size, 160);
  folder.configure("[\"vanilla\", \"lookup\"]", "[\"lookup\", \"vanilla\"]");
  folder.refused(LFFN_ERROR_BAD_MODEL, "encoder.layer.0.FFN.: 'ffn_kinds' says lookup");
}

// In DistilBERT "activation" is the dense layers'; elsewhere it is the lookups', where nothing better is given.
TEST(LookupsInEncoders, WhoseActivation) {
  const std::string same = layer_config("bh4", 16, 12, 16);
  LookupMaker distil("distilbert-classes", "distilbert.transformer.layer.", "ffn.", {same, same});
  distil.add_config(kSame);
  const std::vector<float> gelu = hidden_of(*distil.load());
  distil.configure("\"activation\": \"gelu\"", "\"activation\": \"relu\"");
  EXPECT_EQ(hidden_of(*distil.load()), gelu);
  distil.add_config("\"ffn_activation\": \"sigmoid\"");
  EXPECT_NE(hidden_of(*distil.load()), gelu);

  LookupMaker roberta("roberta-classes", "roberta.encoder.layer.", "", {same, same});
  roberta.add_config(kSame);
  const std::vector<float> plain = hidden_of(*roberta.load());
  roberta.add_config("\"activation\": \"sigmoid\"");
  const std::vector<float> sigmoid = hidden_of(*roberta.load());
  EXPECT_NE(sigmoid, plain);
  roberta.add_config("\"ffn_activation\": \"gelu\"");
  EXPECT_EQ(hidden_of(*roberta.load()), plain);
}

TEST(LookupsInEncoders, HaveNoLayerNormOfTheirOwn) {
  const std::string same = layer_config("bh4", 16, 12, 16);
  LookupMaker folder("roberta-classes", "roberta.encoder.layer.", "", {same, same});
  folder.add_config(std::string(kSame) + ", \"layer_norm\": true");
  folder.refused(LFFN_ERROR_UNSUPPORTED, "'layer_norm' is true, but lookups in roberta models have no layer norm of");
  folder.configure("\"layer_norm\": true", "\"layer_norm\": false");
  folder.load();
  folder.tensors.push_back(made_tensor("encoder.layer.0.FFN.LayerNorm.weight", {48}));
  folder.refused(LFFN_ERROR_BAD_MODEL, "LayerNorm.weight");
}

}  // namespace
}  // namespace lffn
