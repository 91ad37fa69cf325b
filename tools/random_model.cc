// SPDX-License-Identifier: Apache-2.0
#include "random_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "layer/layer.h"
#include "model/tensors/parts.h"

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
  // Rows by word. Any bits are valid numbers, except in BF16, where the exponent is set.
  void words(const std::string& name, int64_t rows, lffn::DType dtype) {
    const int64_t d = shape_.hidden_size;
    if (dtype == lffn::DType::kF32) return add(name, {rows, d}, 0.0f, 0.1f);
    const int64_t columns = dtype == lffn::DType::kU8 ? (d + 1) / 2 : d;
    const auto count = static_cast<size_t>(rows * columns);
    lffn::Memory& memory = model_.memory.emplace_back(count * lffn::dtype_size(dtype));
    for (size_t i = 0; i < memory.size(); i += sizeof(uint32_t)) {
      uint32_t bits = random_();
      if (dtype == lffn::DType::kBF16) bits = (bits & 0x80ff80ffu) | 0x3d003d00u;
      std::memcpy(memory.as<uint8_t>() + i, &bits, std::min(sizeof bits, memory.size() - i));
    }
    model_.tensors.push_back(lffn::view_of(name, dtype, {rows, columns}, memory.data()));
    const bool scaled = dtype == lffn::DType::kI8 || dtype == lffn::DType::kU8;
    if (scaled) add(name + ".scale", {rows}, dtype == lffn::DType::kI8 ? 0.002f : 0.03f, 0.0001f);
  }
  void norm(const std::string& name) { norm(name, shape_.hidden_size); }
  void norm(const std::string& name, int64_t size) {
    add(name + "weight", {size}, 1.0f, 0.1f);
    add(name + "bias", {size}, 0.0f, 0.1f);
  }
  void linear(const std::string& name, int64_t outputs, int64_t inputs) {
    add(name + "weight", {outputs, inputs}, 0.0f, 1.0f / std::sqrt(static_cast<float>(inputs)));
    add(name + "bias", {outputs}, 0.0f, 0.1f);
  }
  // The number of each word's row.
  void row_numbers() {
    const auto words = static_cast<size_t>(shape_.vocab_size);
    int32_t* rows = model_.memory.emplace_back(words * sizeof(int32_t)).as<int32_t>();
    for (size_t word = 0; word < words; ++word) {
      rows[word] = static_cast<int32_t>(random_() % static_cast<uint32_t>(shape_.word_rows));
    }
    model_.tensors.push_back(lffn::view_of(lffn::kRowOfWord, lffn::DType::kI32, {shape_.vocab_size}, rows));
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

bool is_wide(const RandomModelShape& shape) { return shape.family->widening != lffn::Widening::kNone; }

int64_t position_rows(const RandomModelShape& shape) {
  return shape.max_tokens + (shape.family->positions == lffn::PositionRule::kAfterPadding ? 2 : 0);
}

std::string config_text(const RandomModelShape& shape) {
  std::string text = "{";
  const auto add = [&](const char* key, int64_t value) {
    text += std::string("\"") + key + "\": " + std::to_string(value) + ", ";
  };
  // One value, or a list.
  const auto add_each = [&](const char* key, const std::vector<int32_t>& values, int32_t all) {
    if (values.empty()) return add(key, all);
    text += std::string("\"") + key + "\": [";
    for (const int32_t value : values) text += std::to_string(value) + ", ";
    text.replace(text.size() - 2, 2, "], ");
  };
  add("hidden_size", shape.hidden_size);
  add("num_hidden_layers", static_cast<int64_t>(shape.ffn_kinds.size()));
  add_each("num_attention_heads", shape.heads, shape.num_heads);
  add("attention_head_size", shape.head_size);
  add("vocab_size", shape.vocab_size);
  add("max_position_embeddings", position_rows(shape));
  add_each("intermediate_size", shape.neurons, shape.intermediate_size);
  add("ffn_num_table", shape.num_tables);
  add("ffn_table_size", shape.table_size);
  add("block_size", shape.block_size);
  if (shape.family != &lffn::kAuthors) {
    text += std::string("\"model_type\": \"") + shape.family->name + "\", \"layer_norm\": false, \"ffn_linear\": [";
    for (const char kind : shape.ffn_kinds) text += kind == 'w' ? "true, " : "false, ";
    text.replace(text.size() - 2, 2, "], \"type_vocab_size\": 1, ");
    if (is_wide(shape)) add("embedding_size", shape.word_size);
    if (shape.family->distances == lffn::Distances::kDisentangled) {
      add("position_buckets", shape.buckets);
      text +=
          "\"relative_attention\": true, \"pos_att_type\": [\"c2p\", \"p2c\"], \"share_att_key\": true, "
          "\"norm_rel_ebd\": \"layer_norm\", ";
    }
  }
  if (!shape.has_word_rows.empty()) {
    text += "\"ffn_words\": [";
    for (const bool has : shape.has_word_rows) text += has ? "true, " : "false, ";
    text.replace(text.size() - 2, 2, "], ");
    if (shape.word_rows != 0) add("ffn_word_rows", shape.word_rows);
  }
  const std::string projection = shape.projection == 0 ? "dense" : "bh" + std::to_string(shape.projection);
  return text + "\"projection_type\": \"" + projection + "\"}";
}

}  // namespace

RandomModel random_model(const RandomModelShape& shape) {
  RandomModel model;
  model.config = config_text(shape);
  Maker make(shape, model);
  const lffn::Family& family = *shape.family;
  const int64_t d = shape.hidden_size;
  const int64_t e = is_wide(shape) ? shape.word_size : d;
  make.add("embeddings.word_embeddings.weight", {shape.vocab_size, e}, 0.0f, 1.0f);
  make.add("embeddings.position_embeddings.weight", {position_rows(shape) + (family.extra_positions ? 2 : 0), e}, 0.0f,
           1.0f);
  if (family.types != nullptr) make.add("embeddings.token_type_embeddings.weight", {1, e}, 0.0f, 0.1f);
  make.norm("embeddings.LayerNorm.", family.widening == lffn::Widening::kAfterNorm ? e : d);
  if (is_wide(shape)) {
    make.linear(family.widener + std::string("."), d, e);
    if (!family.widener_has_bias) model.tensors.pop_back();
  }
  if (family.distances == lffn::Distances::kBuckets) {
    make.add(family.distance_table + std::string(".weight"), {shape.buckets, shape.num_heads}, 0.0f, 1.0f);
  } else if (family.distances == lffn::Distances::kDisentangled) {
    make.add(family.distance_table + std::string(".weight"), {2 * shape.buckets, d}, 0.0f, 1.0f);
    make.norm(family.distance_norm + std::string("."));
  }
  const int64_t word_rows = shape.word_rows != 0 ? shape.word_rows : shape.vocab_size;
  if (shape.word_rows != 0) make.row_numbers();
  for (size_t i = 0; i < shape.ffn_kinds.size(); ++i) {
    const std::string prefix = "encoder.layer." + std::to_string(i) + ".";
    const auto name = [&](const char* part) { return prefix + part + "."; };
    const bool is_vanilla = shape.ffn_kinds[i] == 'v';
    const int64_t a = int64_t{shape.heads.empty() ? shape.num_heads : shape.heads[i]} * shape.head_size;
    make.norm(name(family.attention_norm));
    if (a > 0) {
      for (const char* part : {family.query, family.key, family.value}) make.linear(name(part), a, d);
      make.linear(name(family.attention_out), d, a);
    } else {
      make.add(prefix + family.attention_out + ".bias", {d}, 0.0f, 0.1f);
    }
    if (is_vanilla || family.norms == lffn::NormPlace::kAfter) make.norm(name(family.ffn_norm));
    if (!shape.has_word_rows.empty() && shape.has_word_rows[i]) {
      make.words(prefix + family.lookup + "words", word_rows, shape.word_dtype);
    }
    if (is_vanilla) {
      const int32_t neurons = shape.neurons.empty() ? shape.intermediate_size : shape.neurons[i];
      make.linear(name(family.up), neurons, d);
      make.linear(name(family.down), d, neurons);
    } else if (shape.ffn_kinds[i] == 'n') {
      make.add(prefix + family.lookup + "bias", {d}, 0.0f, 0.1f);
    } else {
      make.lookup(prefix + family.lookup, i);
      if (shape.ffn_kinds[i] == 'w') make.linear(prefix + family.lookup + "linear.", d, d);
    }
  }
  const auto name = [](const char* part) { return std::string(part) + "."; };
  if (family.norms != lffn::NormPlace::kAfter) make.norm(name(family.final_norm));
  if (shape.lm_head) {
    make.linear(name(family.lm_dense), e, d);
    make.norm(name(family.lm_norm), e);
    make.add(family.decoder_biases[0], {shape.vocab_size}, 0.0f, 0.1f);
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
