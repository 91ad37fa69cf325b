// SPDX-License-Identifier: Apache-2.0
#include "format/layer_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "format/json.h"
#include "format/json_object.h"
#include "lookupffn/layer.h"
#include "runtime/error.h"

namespace lffn {
namespace {

constexpr int32_t kMaxTableSize = 1 << 16;
constexpr int64_t kMaxNumbers = int64_t{1} << 38;  // in one tensor: 2^40 bytes as float32

bool is_power_of_two(int32_t value) { return value > 0 && (value & (value - 1)) == 0; }

// Names a value as it was written: by its key in a file's JSON or by its member of lffn_layer_config.
struct Speaker {
  int status;
  const char* name(const char* key, const char* member) const { return status == LFFN_ERROR_BAD_MODEL ? key : member; }
  void require_range(const char* name, int64_t value, int64_t least, int64_t most) const {
    if (value < least || value > most) {
      fail(status, "config: '%s' is %lld, allowed is %lld to %lld", name, static_cast<long long>(value),
           static_cast<long long>(least), static_cast<long long>(most));
    }
  }
  void require_power_of_two(const char* name, int32_t value) const {
    if (!is_power_of_two(value)) fail(status, "config: '%s' is %d, which is not a power of two", name, value);
  }
};

// The shortest of the texts that read back to the same float.
std::string number_text(float value) {
  char text[32];
  char* end = text;
  // Nine digits tell all floats apart.
  for (int digits = 1; digits <= 9; ++digits) {
    end = std::to_chars(text, text + sizeof(text), double{value}, std::chars_format::general, digits).ptr;
    if (static_cast<float>(json_number({text, static_cast<size_t>(end - text)})) == value) break;
  }
  const std::string result(static_cast<const char*>(text), static_cast<size_t>(end - text));
  // "-0" would be read as an integer, which has no sign to keep.
  return result.find_first_of(".e") == std::string::npos ? result + ".0" : result;
}

}  // namespace

int LayerConfig::code_bits() const {
  int bits = 0;
  while (int64_t{1} << bits < table_size) ++bits;
  return bits;
}

int64_t LayerConfig::num_hashes() const { return int64_t{num_tables} * code_bits(); }

int64_t LayerConfig::padded_size() const {
  int64_t size = 1;
  while (size < hidden_size) size *= 2;
  return size;
}

int64_t LayerConfig::num_chains() const {
  return std::max<int64_t>(1, (num_hashes() + padded_size() - 1) / padded_size());
}

int64_t LayerConfig::flop_per_token() const {
  const int64_t gather = 2 * int64_t{num_tables} * output_size;
  if (projection == LFFN_PROJECTION_DENSE) return 2 * int64_t{hidden_size} * num_hashes() + gather;
  const int64_t n = padded_size();
  int64_t log2_n = 0;
  while (int64_t{1} << log2_n < n) ++log2_n;
  return num_chains() * projection * (2 * n * block_size + n * log2_n) + gather;
}

void check_layer_config(const LayerConfig& config, int status) {
  const Speaker say{status};
  say.require_range("hidden_size", config.hidden_size, 1, kMaxSize);
  say.require_range("output_size", config.output_size, 1, kMaxSize);
  const char* num_tables = say.name("ffn_num_table", "num_tables");
  say.require_range(num_tables, config.num_tables, 1, kMaxSize);
  const char* table_size = say.name("ffn_table_size", "table_size");
  say.require_range(table_size, config.table_size, 2, kMaxTableSize);
  say.require_power_of_two(table_size, config.table_size);
  say.require_range(say.name("projection_type", "projection"), config.projection, LFFN_PROJECTION_DENSE, 9);
  if (config.projection != LFFN_PROJECTION_DENSE) {
    say.require_range("block_size", config.block_size, 1, config.padded_size());
    say.require_power_of_two("block_size", config.block_size);
  } else {
    say.require_range("block_size", config.block_size, 0, kMaxSize);
  }
  say.require_range("activation", config.activation, LFFN_ACTIVATION_GELU, LFFN_ACTIVATION_SIGMOID);
  say.require_range("num_probes", config.num_probes, 1, config.table_size);
  if (!std::isfinite(config.decay_coeff)) fail(status, "config: 'decay_coeff' is not finite");
  if (!std::isfinite(config.layer_norm_eps) || config.layer_norm_eps < 0) {
    fail(status, "config: 'layer_norm_eps' is %g, allowed is any number from 0", double{config.layer_norm_eps});
  }

  // No product can overflow: the largest is below 2^20 * 2^16 * 2^20.
  const int64_t table_numbers = int64_t{config.num_tables} * config.table_size * config.output_size;
  if (table_numbers > kMaxNumbers) {
    fail(status, "config: tables of shape [%d,%d,%d] are larger than 2^40 bytes", config.num_tables, config.table_size,
         config.output_size);
  }
  const bool dense = config.projection == LFFN_PROJECTION_DENSE;
  const int64_t hash_numbers = dense
                                   ? config.num_hashes() * config.hidden_size
                                   : config.num_chains() * config.projection * config.padded_size() * config.block_size;
  if (hash_numbers > kMaxNumbers) {
    fail(status, "config: the projection of %lld numbers is larger than 2^40 bytes",
         static_cast<long long>(hash_numbers));
  }
}

LayerConfig parse_layer_config(std::string_view json) { return parse_layer_config(JsonObject(json, "config")); }

LayerConfig parse_layer_config(const JsonObject& object, const char* activation) {
  LayerConfig config;
  config.hidden_size = object.integer("hidden_size");
  config.output_size = object.integer("output_size", config.hidden_size);
  config.num_tables = object.integer("ffn_num_table");
  config.table_size = object.integer("ffn_table_size");
  config.projection =
      object.choice("projection_type", {"dense", "bh1", "bh2", "bh3", "bh4", "bh5", "bh6", "bh7", "bh8", "bh9"});
  // A dense projection has no blocks.
  config.block_size = config.projection == LFFN_PROJECTION_DENSE ? object.integer("block_size", config.block_size)
                                                                 : object.integer("block_size");
  config.activation = object.choice(activation, {"gelu", "sigmoid"}, config.activation);
  config.num_probes = object.integer("num_probes", config.num_probes);
  config.layer_norm = object.boolean("layer_norm", config.layer_norm);
  config.decay_coeff = object.number("decay_coeff", config.decay_coeff);
  config.layer_norm_eps = object.number("layer_norm_eps", config.layer_norm_eps);
  check_layer_config(config, LFFN_ERROR_BAD_MODEL);
  return config;
}

std::string layer_config_to_json(const LayerConfig& config) {
  const std::string projection =
      config.projection == LFFN_PROJECTION_DENSE ? "dense" : "bh" + std::to_string(config.projection);
  return "{\"hidden_size\": " + std::to_string(config.hidden_size) +
         ", \"output_size\": " + std::to_string(config.output_size) +
         ", \"ffn_num_table\": " + std::to_string(config.num_tables) +
         ", \"ffn_table_size\": " + std::to_string(config.table_size) + ", \"projection_type\": \"" + projection +
         "\", \"block_size\": " + std::to_string(config.block_size) +
         ", \"decay_coeff\": " + number_text(config.decay_coeff) + ", \"activation\": \"" +
         (config.activation == LFFN_ACTIVATION_GELU ? "gelu" : "sigmoid") +
         "\", \"num_probes\": " + std::to_string(config.num_probes) +
         ", \"layer_norm_eps\": " + number_text(config.layer_norm_eps) +
         ", \"layer_norm\": " + (config.layer_norm ? "true" : "false") + "}";
}

}  // namespace lffn
