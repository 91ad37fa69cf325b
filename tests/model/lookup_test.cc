// SPDX-License-Identifier: Apache-2.0
// Lookup FFNs in the encoders of transformers.
#include "layer/layer.h"
#include "layer/tensors.h"
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
  const lffn_model_layer_info layer = model->layer_info(1);
  EXPECT_EQ(layer.num_tables, 12);
  EXPECT_EQ(layer.table_size, 16);
  EXPECT_EQ(layer.projection, 4);
  EXPECT_EQ(layer.block_size, 16);
  EXPECT_EQ(layer.num_probes, 1);
  EXPECT_EQ(layer.num_neurons, 0);
  EXPECT_EQ(layer.num_word_rows, 0);
  EXPECT_EQ(2 * layer.ffn_flop_per_token, model->info().ffn_flop_per_token);
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
  folder.refused(LFFN_ERROR_BAD_MODEL, "'ffn_activation' must be one of");
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

void add_linear(MadeFolder& folder, const std::string& lookup) {
  folder.tensors.push_back(made_tensor(lookup + "linear.weight", {48, 48}));
  folder.tensors.push_back(made_tensor(lookup + "linear.bias", {48}));
}

std::vector<float> values_of(const MadeTensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

void fill(MadeTensor& tensor, float value) {
  const std::vector<float> values(tensor.data.size() / sizeof(float), value);
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
}

// norm(a + lookups(a) + weight a + bias), with a norm that neither scales nor shifts.
std::vector<float> with_linear(const std::vector<float>& a, const Layer& lookups, const std::vector<float>& weight,
                               const std::vector<float>& bias) {
  const size_t d = bias.size();
  std::vector<float> result = a;
  ForwardCall call;
  call.x = a.data();
  call.y = result.data();
  call.x_stride = call.y_stride = static_cast<int64_t>(d);
  call.num_tokens = static_cast<int64_t>(a.size() / d);
  call.add = true;
  lookups.forward(call);
  for (size_t t = 0; t < a.size(); t += d) {
    std::vector<double> row(d);
    double mean = 0, variance = 0;
    for (size_t o = 0; o < d; ++o) {
      row[o] = static_cast<double>(result[t + o]) + bias[o];
      for (size_t i = 0; i < d; ++i) row[o] += static_cast<double>(weight[o * d + i]) * a[t + i];
      mean += row[o] / static_cast<double>(d);
    }
    for (const double x : row) variance += (x - mean) * (x - mean) / static_cast<double>(d);
    for (size_t o = 0; o < d; ++o) result[t + o] = static_cast<float>((row[o] - mean) / std::sqrt(variance));
  }
  return result;
}

TEST(LookupsInEncoders, LinearLayersBesideThem) {
  struct {
    const char *name, *prefix, *dense, *attention_norm, *ffn_norm;
  } const kFamilies[] = {
      {"roberta-classes", "roberta.encoder.layer.", "", "attention.output.LayerNorm.", "output.LayerNorm."},
      {"distilbert-classes", "distilbert.transformer.layer.", "ffn.", "sa_layer_norm.", "output_layer_norm."}};
  const std::string same = layer_config("bh4", 16, 12, 16);
  std::vector<Memory> memory;
  const LayerConfig config = parse_layer_config(same);
  const std::vector<TensorView> views = random_weights(config, 7 + 1, memory);  // as in layer 1
  const Layer lookups(config, check_tensors(config, views, LFFN_ERROR_BAD_MODEL), LoadOptions(), usable_kernels());
  for (const auto& family : kFamilies) {
    LookupMaker folder(family.name, family.prefix, family.dense, {same, same});
    folder.add_config(std::string(kSame) + ", \"ffn_linear\": true");
    if (family.dense[0] == '\0') folder.configure("1e-05", "1e-12");
    const std::string last = family.prefix + std::string("1.");
    for (const char* layer : {"0.FFN.", "1.FFN."}) add_linear(folder, family.prefix + std::string(layer));
    for (const char* norm : {family.attention_norm, family.ffn_norm}) {
      fill(folder.tensor(last + norm + "weight"), 1);
      fill(folder.tensor(last + norm + "bias"), 0);
    }
    // The last FFN's inputs are what comes out where it adds nothing, as they are normalised already.
    MadeFolder silent = folder;
    for (const char* name : {"tables", "bias", "linear.weight", "linear.bias"}) {
      fill(silent.tensor(last + "FFN." + name), 0);
    }
    for (const int32_t dtype : {LFFN_DTYPE_F32, LFFN_DTYPE_INT8}) {
      ModelLoadOptions options;
      options.linear_dtype = dtype;
      const std::vector<float> got = hidden_of(*folder.load(options)),
                               expected = with_linear(hidden_of(*silent.load(options)), lookups,
                                                      values_of(folder.tensor(last + "FFN.linear.weight")),
                                                      values_of(folder.tensor(last + "FFN.linear.bias")));
      EXPECT_LT(distance(got.data(), expected.data(), got.size()), dtype == LFFN_DTYPE_F32 ? 1e-5 : 0.02)
          << family.name;
    }
  }
}

TEST(LookupsInEncoders, LinearLayersBesideSome) {
  const std::string same = layer_config("bh4", 16, 12, 16);
  LookupMaker folder("roberta-classes", "roberta.encoder.layer.", "", {same, same});
  folder.add_config(std::string(kSame) + ", \"ffn_linear\": false");
  const auto without = folder.load();
  for (const char* layer : {"0", "1"}) add_linear(folder, "encoder.layer." + std::string(layer) + ".FFN.");
  folder.refused(LFFN_ERROR_BAD_MODEL, "encoder.layer.0.FFN.linear.bias': a model with this config has no such tensor");
  folder.configure("\"ffn_linear\": false", "\"ffn_linear\": true");
  for (const char* name : {"weight", "bias"}) fill(folder.tensor(std::string("encoder.layer.0.FFN.linear.") + name), 0);
  const auto both = folder.load();
  EXPECT_NE(hidden_of(*both), hidden_of(*without));
  folder.remove("encoder.layer.0.FFN.linear.");
  folder.refused(LFFN_ERROR_BAD_MODEL, "encoder.layer.0.FFN.linear.weight: this tensor is missing");
  folder.configure("\"ffn_linear\": true", "\"ffn_linear\": [false, true]");
  const auto one = folder.load();
  EXPECT_EQ(hidden_of(*one), hidden_of(*both)) << "one of zeros adds nothing";
  EXPECT_EQ(one->info().num_parameters, without->info().num_parameters + 49 * 48);
  EXPECT_EQ(one->info().file_bytes, without->info().file_bytes + 4 * 49 * 48);
  EXPECT_EQ(one->info().ffn_flop_per_token, without->info().ffn_flop_per_token + 2 * 48 * 48);
  EXPECT_GT(one->info().scratch_bytes, without->info().scratch_bytes);
  folder.configure("[false, true]", "[true]");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'ffn_linear' has 1 entries, 'num_hidden_layers' is 2");
  folder.configure("[true]", "[false, \"yes\"]");
  folder.refused(LFFN_ERROR_BAD_MODEL, "'ffn_linear' must be true or false, or a list of these");
  folder.configure("[false, \"yes\"]", "[false, true]");
  folder.tensor("encoder.layer.1.FFN.linear.weight").shape = {24, 96};
  folder.refused(LFFN_ERROR_BAD_MODEL, "encoder.layer.1.FFN.linear.weight: shape [24,96], expected [48,48]");

  LookupMaker mixed("roberta-classes", "roberta.encoder.layer.", "", {"", same});
  mixed.add_config(std::string(kSame) + ", \"ffn_linear\": [\"x\", true]");
  add_linear(mixed, "encoder.layer.1.FFN.");
  EXPECT_EQ(mixed.load()->info().num_lookup_layers, 1);
}

}  // namespace
}  // namespace lffn
