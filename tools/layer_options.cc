// SPDX-License-Identifier: Apache-2.0
#include "layer_options.h"

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
      {"f32", LFFN_F32}, {"float32", LFFN_F32}, {"bf16", LFFN_BF16}, {"int8", LFFN_INT8}};
  return names;
}

const std::map<std::string, int32_t>& exact_or_int8_names() {
  static const std::map<std::string, int32_t> names = {{"f32", LFFN_F32}, {"float32", LFFN_F32}, {"int8", LFFN_INT8}};
  return names;
}

const std::map<std::string, int32_t>& word_dtype_names() {
  static const std::map<std::string, int32_t> names = [] {
    std::map<std::string, int32_t> result = dtype_names();
    result["int4"] = LFFN_INT4;
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

void LayerOptions::add_to(CLI::App& app) {
  app.add_option("--threads", options_.num_threads,
                 "Threads per forward; 0 = as LOOKUPFFN_NUM_THREADS says, else what affinity, cgroup and "
                 "OMP_NUM_THREADS leave")
      ->check(CLI::NonNegativeNumber)
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

}  // namespace lffn::tools
