// SPDX-License-Identifier: Apache-2.0
#include "layer_options.h"

#include "numbers.h"
#include "progress.h"

namespace lffn::tools {

const std::map<std::string, int32_t>& projection_names() {
  static const std::map<std::string, int32_t> names = [] {
    std::map<std::string, int32_t> result = {{"dense", LFFN_PROJECTION_DENSE}};
    for (int32_t m = 1; m <= 9; ++m) result["bh" + std::to_string(m)] = m;
    return result;
  }();
  return names;
}

const std::map<std::string, int32_t>& activation_names() {
  static const std::map<std::string, int32_t> names = {{"gelu", LFFN_ACTIVATION_GELU},
                                                       {"sigmoid", LFFN_ACTIVATION_SIGMOID}};
  return names;
}

const std::map<std::string, int32_t>& dtype_names() {
  static const std::map<std::string, int32_t> names = {
      {"f32", LFFN_DTYPE_F32}, {"float32", LFFN_DTYPE_F32}, {"bf16", LFFN_DTYPE_BF16}, {"int8", LFFN_DTYPE_INT8}};
  return names;
}

const std::map<std::string, int32_t>& exact_or_int8_names() {
  static const std::map<std::string, int32_t> names = {
      {"f32", LFFN_DTYPE_F32}, {"float32", LFFN_DTYPE_F32}, {"int8", LFFN_DTYPE_INT8}};
  return names;
}

const std::map<std::string, int32_t>& word_dtype_names() {
  static const std::map<std::string, int32_t> names = [] {
    std::map<std::string, int32_t> result = dtype_names();
    result["int4"] = LFFN_DTYPE_INT4;
    return result;
  }();
  return names;
}

std::string name_of(const std::map<std::string, int32_t>& names, int32_t value) {
  for (const auto& [name, known] : names) {
    if (known == value) return name;
  }
  return std::to_string(value);
}

CLI::Option* add_choice(CLI::App& app, const std::string& option, int32_t& value,
                        const std::map<std::string, int32_t>& names, const std::string& help) {
  return app
      .add_option_function<std::string>(
          option, [&value, &names](const std::string& name) { value = names.at(name); }, help)
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

void add_attention_dtype(CLI::App& app, lookupffn::LoadOptions& options) {
  add_choice(app, "--attention-dtype", options.attention_dtype, exact_or_int8_names(),
             "Compute attention of models in f32 or int8; default: as their linear layers");
}

void add_seven_bit_inputs(CLI::App& app, lookupffn::LoadOptions& options) {
  app.add_flag_callback(
      "--seven-bit-inputs", [&options] { options.flags |= LFFN_LOAD_SEVEN_BIT_INPUTS; },
      "Round the inputs of models' int8 linear layers to seven bits: faster with AVX2 where there is neither VNNI "
      "nor AVX-512, but less exact");
}

void LayerOptions::add_to(CLI::App& app) {
  app.add_option("--threads", options_.num_threads,
                 "Threads per forward; 0 = as LOOKUPFFN_NUM_THREADS says, else what affinity, cgroup and "
                 "OMP_NUM_THREADS leave")
      ->check(whole(0))
      ->type_name("N");
  add_choice(app, "--table-dtype", options_.table_dtype, dtype_names(),
             "Hold the tables as f32, bf16 or int8; default: as stored");
  add_choice(app, "--hash-dtype", options_.hash_dtype, dtype_names(),
             "Hold the projection as f32 or int8; default: as stored");
}

lookupffn::Layer LayerOptions::load(const std::string& path) const {
  const Progress progress("loading " + path);
  return lookupffn::Layer::load(path, options_);
}

namespace {

DType stored_as(int32_t dtype) {
  switch (dtype) {
    case LFFN_DTYPE_BF16:
      return DType::kBF16;
    case LFFN_DTYPE_INT8:
      return DType::kI8;
    case LFFN_DTYPE_INT4:
      return DType::kU8;
    default:
      return DType::kF32;
  }
}

// One number for all layers, or one for each.
std::vector<int32_t> for_each(const char* option, const std::vector<int32_t>& given, int32_t layers) {
  if (given.size() == 1) return std::vector<int32_t>(static_cast<size_t>(layers), given.front());
  if (given.size() == static_cast<size_t>(layers)) return given;
  throw lookupffn::InvalidArgument(std::string(option) + " has " + std::to_string(given.size()) +
                                   " numbers; give one, or one for each of the " + std::to_string(layers) + " layers");
}

}  // namespace

void ShapeOptions::add_to(CLI::App& app) {
  const auto list = [&](const char* name, std::vector<int32_t>& numbers, int most, const std::string& help) {
    app.add_option(name, numbers, help)->delimiter(',')->check(whole(0, most))->type_name("N[,N...]");
  };
  app.add_option("--layers", layers_, "A whole encoder of so many layers, of BERT's family, instead of one layer")
      ->check(whole(1, 256))
      ->type_name("N");
  list("--heads", heads_, 4096, "With --layers: attention heads, 0 for none; default as many as fit the hidden size");
  list("--neurons", neurons_, 1 << 20, "With --layers: neurons, 0 for the tables, if --tables is given, or none");
  list("--word-rows", word_rows_, 1 << 22,
       "With --layers: rows by word, 0 for none, else the same number for all layers that have some");
  app.add_option("--head-size", head_size_, "With --layers: floats per head; default 32")
      ->check(whole(1, 4096))
      ->type_name("N");
  app.add_option("--vocab-size", vocab_size_, "With --layers: words in the vocabulary; default 30522")
      ->check(whole(1, 1 << 22))
      ->type_name("N");
  app.add_flag("--linear-map", linear_map_, "With --layers: a linear map beside tables");
  add_choice(app, "--word-dtype", word_dtype_, word_dtype_names(),
             "With --layers: store rows by word as f32, bf16, int8 or int4; default f32");
}

RandomModelShape ShapeOptions::shape(const lookupffn::LayerConfig& config, bool tables) const {
  RandomModelShape shape;
  shape.family = &kBert;
  shape.hidden_size = config.hidden_size;
  shape.head_size = head_size_;
  shape.vocab_size = vocab_size_;
  shape.max_tokens = 512;
  shape.num_classes = 0;
  shape.lm_head = false;
  shape.heads =
      for_each("--heads", heads_.empty() ? std::vector<int32_t>{config.hidden_size / head_size_} : heads_, layers_);
  shape.neurons = for_each("--neurons", neurons_, layers_);
  shape.num_tables = config.num_tables;
  shape.table_size = config.table_size;
  shape.block_size = config.block_size;
  shape.projection = config.projection;
  shape.ffn_kinds.clear();
  for (const int32_t neurons : shape.neurons) {
    shape.ffn_kinds += neurons > 0 ? 'v' : !tables ? 'n' : linear_map_ ? 'w' : 'l';
  }
  for (const int32_t rows : for_each("--word-rows", word_rows_, layers_)) {
    shape.has_word_rows.push_back(rows > 0);
    if (rows == 0) continue;
    if (shape.word_rows != 0 && rows != shape.word_rows) {
      throw lookupffn::InvalidArgument("--word-rows has " + std::to_string(shape.word_rows) + " and " +
                                       std::to_string(rows) + "; all layers with rows have as many");
    }
    shape.word_rows = rows;
  }
  if (shape.word_rows == shape.vocab_size) shape.word_rows = 0;  // each word's own
  shape.word_dtype = stored_as(word_dtype_);
  return shape;
}

void ShapeOptions::write(const lookupffn::LayerConfig& config, bool tables, const std::string& path) const {
  const Progress progress("creating " + path);
  random_model(shape(config, tables)).write(path);
}

}  // namespace lffn::tools
