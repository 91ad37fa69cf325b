// SPDX-License-Identifier: Apache-2.0
#include "shape_options.h"

#include "layer_options.h"
#include "progress.h"

namespace lffn::tools {
namespace {

DType stored_as(int32_t dtype) {
  switch (dtype) {
    case LFFN_BF16:
      return DType::kBF16;
    case LFFN_INT8:
      return DType::kI8;
    case LFFN_INT4:
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
    app.add_option(name, numbers, help)->delimiter(',')->check(CLI::Range(0, most))->type_name("N[,N...]");
  };
  app.add_option("--layers", layers_, "A whole encoder of so many layers, of BERT's family, instead of one layer")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  list("--heads", heads_, 4096, "With --layers: attention heads, 0 for none; default as many as fit the hidden size");
  list("--neurons", neurons_, 1 << 20, "With --layers: neurons, 0 for the tables, if --tables is given, or none");
  list("--word-rows", word_rows_, 1 << 22,
       "With --layers: rows by word, 0 for none, else the same number for all layers that have some");
  app.add_option("--head-size", head_size_, "With --layers: floats per head; default 32")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  app.add_option("--vocab-size", vocab_size_, "With --layers: words; default 30522")
      ->check(CLI::Range(1, 1 << 22))
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
    shape.has_words.push_back(rows > 0);
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
