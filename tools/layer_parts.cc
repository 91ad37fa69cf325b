// SPDX-License-Identifier: Apache-2.0
#include "layer_parts.h"

#include "info_model.h"
#include "layer_options.h"

namespace lffn::tools {
namespace {

std::string word_dtype_name(int32_t dtype) { return dtype == LFFN_F16 ? "f16" : name_of(word_dtype_names(), dtype); }

}  // namespace

std::string parts_text(const lffn_model_layer_info& layer) {
  std::string text =
      layer.num_heads == 0
          ? "no heads"
          : number(layer.num_heads) + (layer.num_heads == 1 ? " head of " : " heads of ") + number(layer.head_size);
  std::string block;
  const auto add = [&](const std::string& part) { block += (block.empty() ? "; " : ", ") + part; };
  if (layer.num_neurons > 0) add(number(layer.num_neurons) + " neurons");
  if (layer.num_tables > 0) {
    add(number(layer.num_tables) + " tables of " + number(layer.table_size) + " rows, " +
        name_of(projection_names(), layer.projection));
  }
  if (layer.has_linear_map != 0) add("a linear map");
  if (layer.num_word_rows > 0) {
    add("a row of " + number(layer.num_word_rows) + " by word, " + word_dtype_name(layer.word_dtype));
  }
  return text + (block.empty() ? "; a bias" : block);
}

nlohmann::ordered_json layer_parts(const lffn_model_layer_info& layer) {
  nlohmann::ordered_json json = {
      {"num_heads", layer.num_heads}, {"head_size", layer.head_size}, {"num_neurons", layer.num_neurons}};
  json["linear_dtype"] = name_of(dtype_names(), layer.linear_dtype);
  if (layer.num_tables > 0) {
    json["num_tables"] = layer.num_tables;
    json["table_size"] = layer.table_size;
    json["projection"] = name_of(projection_names(), layer.projection);
    json["block_size"] = layer.block_size;
    json["num_probes"] = layer.num_probes;
    json["table_dtype"] = name_of(dtype_names(), layer.table_dtype);
    json["hash_dtype"] = name_of(dtype_names(), layer.hash_dtype);
  }
  json["linear_map"] = layer.has_linear_map != 0;
  json["num_word_rows"] = layer.num_word_rows;
  if (layer.num_word_rows > 0) {
    json["word_dtype"] = word_dtype_name(layer.word_dtype);
    json["word_bytes"] = layer.word_bytes;
  }
  json["attention_flop_per_token"] = layer.attention_flop_per_token;
  json["attention_flop_per_pair"] = layer.attention_flop_per_pair;
  json["ffn_flop_per_token"] = layer.ffn_flop_per_token;
  json["other_flop_per_token"] = layer.other_flop_per_token;
  json["num_parameters"] = layer.num_parameters;
  json["attention_bytes"] = layer.attention_bytes;
  json["ffn_bytes"] = layer.ffn_bytes;
  json["file_bytes"] = layer.file_bytes;
  return json;
}

}  // namespace lffn::tools
