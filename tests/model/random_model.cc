// SPDX-License-Identifier: Apache-2.0
#include "random_model.h"

#include <cmath>
#include <random>

#include "layer/layer.h"

namespace {

class Maker {
 public:
  Maker(const RandomModelShape& shape, RandomModel& model) : shape_(shape), model_(model) {}

  void add(const std::string& name, std::vector<int64_t> shape, float mean, float deviation) {
    size_t count = 1;
    for (const int64_t n : shape) count *= static_cast<size_t>(n);
    model_.memory.emplace_back(count * sizeof(float));
    float* values = model_.memory.back().as<float>();
    const float width = deviation * 3.4641016f;
    for (size_t i = 0; i < count; ++i) {
      values[i] = mean + (static_cast<float>(random_() >> 8) * 0x1p-24f - 0.5f) * width;
    }
    lffn::TensorView view;
    view.name = name;
    view.shape = std::move(shape);
    view.data = model_.memory.back().as<uint8_t>();
    view.size = count * sizeof(float);
    model_.tensors.push_back(std::move(view));
  }
  void norm(const std::string& name) {
    add(name + "weight", {shape_.hidden_size}, 1.0f, 0.1f);
    add(name + "bias", {shape_.hidden_size}, 0.0f, 0.1f);
  }
  void linear(const std::string& name, int64_t outputs, int64_t inputs) {
    add(name + "weight", {outputs, inputs}, 0.0f, 1.0f / std::sqrt(static_cast<float>(inputs)));
    add(name + "bias", {outputs}, 0.0f, 0.1f);
  }
  void lookup(const std::string& name, uint64_t seed) {
    const size_t first = model_.tensors.size();
    for (lffn::TensorView& view : lffn::random_weights(lffn::parse_layer_config(model_.config), seed, model_.memory)) {
      model_.tensors.push_back(std::move(view));
    }
    for (size_t i = first; i < model_.tensors.size(); ++i) model_.tensors[i].name = name + model_.tensors[i].name;
  }

 private:
  const RandomModelShape& shape_;
  RandomModel& model_;
  std::mt19937 random_{1};
};

std::string config_text(const RandomModelShape& shape) {
  std::string text = "{";
  const auto add = [&](const char* key, int64_t value) {
    text += std::string("\"") + key + "\": " + std::to_string(value) + ", ";
  };
  add("hidden_size", shape.hidden_size);
  add("num_hidden_layers", static_cast<int64_t>(shape.ffn_kinds.size()));
  add("num_attention_heads", shape.num_heads);
  add("attention_head_size", shape.head_size);
  add("vocab_size", shape.vocab_size);
  add("max_position_embeddings", shape.max_tokens);
  add("intermediate_size", shape.intermediate_size);
  add("ffn_num_table", shape.num_tables);
  add("ffn_table_size", shape.table_size);
  add("block_size", shape.block_size);
  if (shape.family != &lffn::kAuthors) {
    text += std::string("\"model_type\": \"") + shape.family->name + "\", \"layer_norm\": false, \"ffn_linear\": [";
    for (const char kind : shape.ffn_kinds) text += kind == 'w' ? "true, " : "false, ";
    text.replace(text.size() - 2, 2, "], \"type_vocab_size\": 1, ");
  }
  return text + "\"projection_type\": \"bh4\"}";
}

}  // namespace

RandomModel random_model(const RandomModelShape& shape) {
  RandomModel model;
  model.config = config_text(shape);
  Maker make(shape, model);
  const lffn::Family& family = *shape.family;
  const int64_t d = shape.hidden_size, a = int64_t{shape.num_heads} * shape.head_size;
  make.add("embeddings.word_embeddings.weight", {shape.vocab_size, d}, 0.0f, 1.0f);
  make.add("embeddings.position_embeddings.weight", {shape.max_tokens + (family.extra_positions ? 2 : 0), d}, 0.0f,
           1.0f);
  make.add("embeddings.token_type_embeddings.weight", {1, d}, 0.0f, 0.1f);
  make.norm("embeddings.LayerNorm.");
  for (size_t i = 0; i < shape.ffn_kinds.size(); ++i) {
    const std::string prefix = "encoder.layer." + std::to_string(i) + ".";
    const auto name = [&](const char* part) { return prefix + part + "."; };
    const bool is_vanilla = shape.ffn_kinds[i] == 'v';
    make.norm(name(family.attention_norm));
    for (const char* part : {family.query, family.key, family.value}) make.linear(name(part), a, d);
    make.linear(name(family.attention_out), d, a);
    if (is_vanilla || !family.pre_norm) make.norm(name(family.ffn_norm));
    if (is_vanilla) {
      make.linear(name(family.up), shape.intermediate_size, d);
      make.linear(name(family.down), d, shape.intermediate_size);
    } else {
      make.lookup(prefix + family.lookup, i);
      if (shape.ffn_kinds[i] == 'w') make.linear(prefix + family.lookup + "linear.", d, d);
    }
  }
  const auto name = [](const char* part) { return std::string(part) + "."; };
  if (family.pre_norm) make.norm(name(family.final_norm));
  if (shape.lm_head) {
    make.linear(name(family.lm_dense), d, d);
    make.norm(name(family.lm_norm));
    make.add(family.decoder_biases[1], {shape.vocab_size}, 0.0f, 0.1f);
  }
  if (shape.num_classes > 0) {
    make.linear(name(family.class_dense), d, d);
    make.linear(name(family.class_out), shape.num_classes, d);
  }
  return model;
}

void RandomModel::write(const std::string& path) const {
  lffn::write_safetensors(
      path, {{"format", "lookupffn"}, {"format_version", "1"}, {"kind", "model"}, {"config", config}}, tensors);
}
