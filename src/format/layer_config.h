// SPDX-License-Identifier: Apache-2.0
// The config of one layer: what the JSON text in a file says, checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lffn {

class JsonObject;

struct LayerConfig {
  int32_t hidden_size = 0;
  int32_t output_size = 0;
  int32_t num_tables = 0;  // "ffn_num_table"
  int32_t table_size = 0;  // "ffn_table_size", rows per table
  int32_t projection = 4;  // "projection_type": 0 = "dense", m = "bh{m}"
  int32_t block_size = 64;
  int32_t activation = 0;  // LFFN_ACTIVATION_
  int32_t num_probes = 1;
  bool layer_norm = true;
  float decay_coeff = 0.7f;
  float layer_norm_eps = 1e-5f;

  // Derived, see SPEC for their meaning. Valid only after check_layer_config.
  int code_bits() const;           // tau
  int64_t num_hashes() const;      // h * tau
  int64_t padded_size() const;     // N: the power of two >= hidden_size
  int64_t num_chains() const;      // R, at least 1
  int64_t flop_per_token() const;  // the paper's count
};

// Throws Error(status) that names the key unless every value is in range and every derived size fits easily into the
// address space. `status` is LFFN_ERROR_BAD_MODEL for files and LFFN_ERROR_INVALID_ARGUMENT for callers' structs.
void check_layer_config(const LayerConfig& config, int status);

// Parses and checks the JSON text of a file's config. Unknown keys are ignored, as Hugging Face configs carry many.
LayerConfig parse_layer_config(std::string_view json);
// `activation` is the key of the activation.
LayerConfig parse_layer_config(const JsonObject& object, const char* activation = "activation");

// The JSON text that parse_layer_config reads back to the same values, bit for bit.
std::string layer_config_to_json(const LayerConfig& config);

// The most that files may ask for.

constexpr int32_t kMaxSize = 1 << 20;  // of a vector, and the number of tables

}  // namespace lffn
