// SPDX-License-Identifier: Apache-2.0
// lookupffn accuracy: what tables and hashes of fewer bits cost, against the same layer in f32.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "format/file.h"
#include "format/safetensors.h"
#include "layer_options.h"
#include "progress.h"
#include "random_tokens.h"

namespace lffn::tools {
namespace {

struct AccuracyOptions {
  std::vector<std::string> models;
  int64_t tokens = 4096;
  bool json = false;
};

struct Kind {
  const char* name;
  int32_t table_dtype, hash_dtype;
};
constexpr Kind kKinds[] = {{"bf16 tables", LFFN_DTYPE_BF16, LFFN_DTYPE_F32},
                           {"int8 tables", LFFN_DTYPE_INT8, LFFN_DTYPE_F32},
                           {"int8 hash", LFFN_DTYPE_F32, LFFN_DTYPE_INT8},
                           {"int8 both", LFFN_DTYPE_INT8, LFFN_DTYPE_INT8}};
constexpr size_t kNumKinds = std::size(kKinds);
constexpr size_t kInt8Hash = 2;

// A layer that can be made in each kind.
struct Case {
  std::string name;
  std::function<lookupffn::Layer(const lookupffn::LoadOptions&)> make;
  std::string recorded;  // a file with inputs x, or ""
};

struct Costs {
  double y_error = 0;        // rms of the difference, in units of the rms of y
  double flipped_codes = 0;  // share
  double flipped_bits = 0;   // share
};

struct Deviation {
  std::string name;
  int64_t tokens;
  Costs costs[kNumKinds];
};

lookupffn::Layer make(const Case& one, int32_t table_dtype, int32_t hash_dtype) {
  lookupffn::LoadOptions options;
  options.table_dtype = table_dtype;
  options.hash_dtype = hash_dtype;
  return one.make(options);
}

std::vector<float> recorded_x(const std::string& path) {
  const FileBytes bytes(path);
  const Safetensors file = parse_safetensors(bytes.data(), bytes.size());
  const TensorView* x = file.find("x");
  if (x == nullptr || x->dtype != DType::kF32) throw lookupffn::BadModel(path + ": no tensor x of F32");
  std::vector<float> values(x->size / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), x->data, x->size);
  return values;
}

double relative_error(const std::vector<float>& values, const std::vector<float>& exact) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double value = exact[i];
    difference += (values[i] - value) * (values[i] - value);
    size += value * value;
  }
  return size > 0 ? std::sqrt(difference / size) : 0;
}

// Compares the likeliest code of each table, which is the first of its probes.
void count_flips(const std::vector<int32_t>& codes, const std::vector<int32_t>& exact, const lffn_layer_info& info,
                 Costs& costs) {
  int64_t wrong_codes = 0, wrong_bits = 0, all = 0;
  for (size_t i = 0; i < exact.size(); i += static_cast<size_t>(info.num_probes)) {
    const int bits = __builtin_popcount(static_cast<uint32_t>(codes[i] ^ exact[i]));
    wrong_bits += bits;
    wrong_codes += bits != 0 ? 1 : 0;
    ++all;
  }
  if (all == 0) return;
  costs.flipped_codes = static_cast<double>(wrong_codes) / static_cast<double>(all);
  costs.flipped_bits = static_cast<double>(wrong_bits) / static_cast<double>(all * info.code_bits);
}

Deviation compare(const Case& one, int64_t random_tokens) {
  const Progress progress("comparing " + one.name);
  std::vector<float> x, exact_y;
  std::vector<int32_t> exact_codes;
  Deviation row = {one.name, 0, {}};
  {
    const lookupffn::Layer exact = make(one, LFFN_DTYPE_F32, LFFN_DTYPE_F32);
    const int64_t width = exact.info().hidden_size;
    x = one.recorded.empty() ? normal_numbers(random_tokens * width, 1.0f, 1) : recorded_x(one.recorded);
    row.tokens = static_cast<int64_t>(x.size()) / width;
    exact_y = exact.forward(x);
    exact_codes = exact.hash(x).codes;
  }
  for (size_t kind = 0; kind < kNumKinds; ++kind) {
    const lookupffn::Layer layer = make(one, kKinds[kind].table_dtype, kKinds[kind].hash_dtype);
    row.costs[kind].y_error = relative_error(layer.forward(x), exact_y);
    count_flips(layer.hash(x).codes, exact_codes, layer.info(), row.costs[kind]);
  }
  return row;
}

Case random_case(const char* name, int32_t hidden_size, int32_t num_tables, int32_t table_size) {
  lookupffn::LayerConfig config;
  config.hidden_size = hidden_size;
  config.num_tables = num_tables;
  config.table_size = table_size;
  return {name, [config](const auto& options) { return lookupffn::Layer::create(config, {}, options); }, ""};
}

// "folder/dense.model.safetensors" is shown as "dense", and "folder/dense.io.safetensors" may hold its inputs.
Case file_case(const std::string& path) {
  const std::string ending = ".model.safetensors";
  Case result = {path.substr(path.rfind('/') + 1),
                 [path](const auto& options) { return lookupffn::Layer::load(path, options); }, ""};
  if (path.size() <= ending.size() || path.substr(path.size() - ending.size()) != ending) return result;
  result.name.resize(result.name.size() - ending.size());
  const std::string recorded = path.substr(0, path.size() - ending.size()) + ".io.safetensors";
  if (std::ifstream(recorded).good()) result.recorded = recorded;
  return result;
}

void print_table(const std::vector<Deviation>& rows) {
  std::printf("| layer | tokens |");
  for (const Kind& kind : kKinds) std::printf(" y, %s |", kind.name);
  std::printf(" codes flipped | bits flipped |\n|---|---|");
  for (size_t i = 0; i < kNumKinds; ++i) std::printf("---|");
  std::printf("---|---|\n");
  for (const Deviation& row : rows) {
    std::printf("| %s | %lld |", row.name.c_str(), static_cast<long long>(row.tokens));
    for (const Costs& costs : row.costs) std::printf(" %.2g %% |", 100 * costs.y_error);
    const Costs& hash = row.costs[kInt8Hash];
    std::printf(" %.2g %% | %.2g %% |\n", 100 * hash.flipped_codes, 100 * hash.flipped_bits);
  }
}

void print_json(const std::vector<Deviation>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Deviation& row : rows) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
    for (size_t i = 0; i < kNumKinds; ++i) {
      kinds.push_back({{"table_dtype", name_of(dtype_names(), kKinds[i].table_dtype)},
                       {"hash_dtype", name_of(dtype_names(), kKinds[i].hash_dtype)},
                       {"y_error", row.costs[i].y_error},
                       {"flipped_codes", row.costs[i].flipped_codes},
                       {"flipped_bits", row.costs[i].flipped_bits}});
    }
    json.push_back({{"layer", row.name}, {"tokens", row.tokens}, {"kinds", kinds}});
  }
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

int run(const AccuracyOptions& options) {
  std::vector<Case> cases;
  for (const std::string& model : options.models) cases.push_back(file_case(model));
  if (cases.empty()) {
    cases.push_back(random_case("random, d 512, 128 tables of 256 rows", 512, 128, 256));
    cases.push_back(random_case("random, d 768, 170 tables of 512 rows", 768, 170, 512));
  }
  std::vector<Deviation> rows;
  rows.reserve(cases.size());
  for (const Case& one : cases) rows.push_back(compare(one, options.tokens));
  if (options.json) {
    print_json(rows);
  } else {
    print_table(rows);
  }
  return 0;
}

}  // namespace

Command accuracy_command(CLI::App& parent) {
  auto options = std::make_shared<AccuracyOptions>();
  CLI::App* app = parent.add_subcommand("accuracy", "Show what bf16 and int8 cost in accuracy against f32");
  app->add_option("MODEL", options->models, "Layers in safetensors files; default: random layers of the paper's sizes");
  app->add_option("--tokens", options->tokens, "How many standard normal tokens to run; default 4096")
      ->check(whole(1, 1 << 20))
      ->type_name("N");
  app->add_flag("--json", options->json, "Print a JSON array instead of a Markdown table");
  app->footer(
      "y: rms of the difference over rms of y. Codes and bits flipped: by the int8 hash, of the likeliest code of\n"
      "each table. Beside NAME.model.safetensors a file NAME.io.safetensors may hold the inputs, as tensor x.\n"
      "\n"
      "Examples:\n"
      "  lookupffn accuracy\n"
      "  lookupffn accuracy build/data/golden/*.model.safetensors\n"
      "  lookupffn accuracy --tokens 1000 layer.safetensors");
  return {app, [options] { return run(*options); }};
}

}  // namespace lffn::tools
