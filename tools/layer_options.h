// SPDX-License-Identifier: Apache-2.0
// What the subcommands that work on a layer share: how to load it, the names of its kinds, and the shape of a model
// with random weights.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "random_model.h"

namespace lffn::tools {

class LayerOptions {
 public:
  void add_to(CLI::App& app);
  lookupffn::Layer load(const std::string& path) const;
  const lookupffn::LoadOptions& get() const { return options_; }

 private:
  lookupffn::LoadOptions options_;
};

const std::map<std::string, int32_t>& projection_names();     // "dense", "bh1" to "bh9"
const std::map<std::string, int32_t>& activation_names();     // "gelu", "sigmoid"
const std::map<std::string, int32_t>& dtype_names();          // "f32" or "float32", "bf16", "int8"
const std::map<std::string, int32_t>& exact_or_int8_names();  // "f32" or "float32", "int8"
const std::map<std::string, int32_t>& word_dtype_names();     // "int4", too

// An option that takes one of these names.
CLI::Option* add_choice(CLI::App& app, const std::string& option, int32_t& value,
                        const std::map<std::string, int32_t>& names, const std::string& help);
void add_attention_dtype(CLI::App& app, lookupffn::LoadOptions& options);
void add_seven_bit_inputs(CLI::App& app, lookupffn::LoadOptions& options);
std::string name_of(const std::map<std::string, int32_t>& names, int32_t value);

// Options that describe a model with random weights, whose layers may all be different.
class ShapeOptions {
 public:
  // Adds them beside the options of a layer, from which it takes the hidden size and the tables.
  void add_to(CLI::App& app);
  // Whether a model is meant: --layers was given.
  bool given() const { return layers_ > 0; }
  int32_t word_dtype() const { return word_dtype_; }
  // `tables`: whether layers without neurons have the tables of the config.
  RandomModelShape shape(const lookupffn::LayerConfig& config, bool tables) const;
  void write(const lookupffn::LayerConfig& config, bool tables, const std::string& path) const;

 private:
  int32_t layers_ = 0;
  std::vector<int32_t> heads_, neurons_ = {0}, word_rows_ = {0};
  int32_t head_size_ = 32;
  int32_t vocab_size_ = 30522;
  int32_t word_dtype_ = LFFN_DTYPE_AS_STORED;
  bool linear_map_ = false;
};

}  // namespace lffn::tools
