// SPDX-License-Identifier: Apache-2.0
// What the subcommands that work on a layer share: how to load it, and the names of its kinds.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "lookupffn/lookupffn.hpp"

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
std::string name_of(const std::map<std::string, int32_t>& names, int32_t value);

}  // namespace lffn::tools
