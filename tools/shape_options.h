// SPDX-License-Identifier: Apache-2.0
// Options that describe a model with random weights, of which no two layers need be alike.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lookupffn/lookupffn.hpp"
#include "random_model.h"

namespace lffn::tools {

class ShapeOptions {
 public:
  // Beside the options of a layer, of which it takes the hidden size and the tables.
  void add_to(CLI::App& app);
  // Whether a model is meant: --layers was given.
  bool given() const { return layers_ > 0; }
  int32_t word_dtype() const { return word_dtype_; }
  // `tables`: whether layers without neurons have those of the config.
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
