// SPDX-License-Identifier: Apache-2.0
// lookupffn verify: a layer against recorded inputs and results.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "format/file.h"
#include "format/safetensors.h"
#include "layer_options.h"
#include "progress.h"

namespace lffn::tools {
namespace {

struct VerifyOptions {
  std::string model;
  std::string io;
  bool json = false;
  double score_limit = 1e-5;
  double y_limit = 2e-5;
  LayerOptions layer;
};

struct VerifyFigures {
  int64_t tokens = 0;
  int64_t codes = 0;
  int64_t wrong_codes = 0;
  double score_error = 0;  // largest, in units of the largest score of its token and table
  double y_error = 0;      // largest, in units of the rms of y
};

template <typename T>
std::vector<T> read_tensor(const Safetensors& file, const char* name, DType dtype, const std::vector<int64_t>& shape) {
  const TensorView* tensor = file.find(name);
  if (tensor == nullptr) throw lookupffn::BadModel(std::string(name) + ": no such tensor in the recorded case");
  TensorView expected;
  expected.shape = shape;
  if (tensor->dtype != dtype || tensor->shape != shape) {
    throw lookupffn::BadModel(std::string(name) + ": " + dtype_name(tensor->dtype) + " of shape " +
                              tensor->shape_text() + ", expected " + dtype_name(dtype) + " of shape " +
                              expected.shape_text());
  }
  std::vector<T> values(tensor->size / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor->data, tensor->size);
  return values;
}

// Written so that a NaN where none belongs counts as an infinite error.
double difference(double value, double expected) {
  if (value == expected || (std::isnan(value) && std::isnan(expected))) return 0;
  const double apart = std::abs(value - expected);
  return std::isnan(apart) ? INFINITY : apart;
}

double root_mean_square(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += std::isfinite(value) ? static_cast<double>(value) * value : 0;
  return values.empty() ? 1 : std::sqrt(sum / static_cast<double>(values.size()));
}

// Weights of several probes can cancel to nearly nothing, so they are judged against the largest of their table.
double largest(const std::vector<float>& scores, size_t first, size_t count) {
  double result = 0;
  for (size_t i = first; i < first + count; ++i) result = std::max(result, std::abs(static_cast<double>(scores[i])));
  return result;
}

VerifyFigures compare(const VerifyOptions& options) {
  const lookupffn::Layer layer = options.layer.load(options.model);
  const Progress progress("checking " + options.model);
  const lookupffn::LayerInfo info = layer.info();
  const FileBytes bytes(options.io);
  const Safetensors file = parse_safetensors(bytes.data(), bytes.size());
  const TensorView* first = file.find("x");
  const int64_t tokens = first == nullptr || first->shape.empty() ? 0 : first->shape[0];
  const std::vector<int64_t> per_code = {tokens, info.num_tables, info.num_probes};
  const auto x = read_tensor<float>(file, "x", DType::kF32, {tokens, info.hidden_size});
  const auto codes = read_tensor<int32_t>(file, "codes", DType::kI32, per_code);
  const auto scores = read_tensor<float>(file, "scores", DType::kF32, per_code);
  const auto y = read_tensor<float>(file, "y", DType::kF32, {tokens, info.output_size});

  VerifyFigures figures;
  figures.tokens = tokens;
  const auto probes = static_cast<size_t>(info.num_probes);
  figures.codes = static_cast<int64_t>(codes.size());
  const lookupffn::Hashes hashes = layer.hash(x);
  for (size_t i = 0; i < codes.size(); ++i) {
    if (hashes.codes[i] != codes[i]) ++figures.wrong_codes;
    const double apart = difference(hashes.scores[i], scores[i]);
    if (apart > 0) {  // an infinite difference divided by infinity would be a NaN
      const double share = apart / largest(scores, i / probes * probes, probes);
      figures.score_error = std::max(figures.score_error, std::isnan(share) ? INFINITY : share);
    }
  }
  const std::vector<float> result = layer.forward(x);
  const double rms = root_mean_square(y);
  for (size_t i = 0; i < y.size(); ++i) {
    const double apart = difference(result[i], y[i]);
    if (apart > 0) figures.y_error = std::max(figures.y_error, apart / rms);
  }
  return figures;
}

void print(const VerifyOptions& options, const VerifyFigures& figures, bool agrees) {
  if (options.json) {
    const nlohmann::ordered_json json = {{"tokens", figures.tokens},           {"codes", figures.codes},
                                         {"wrong_codes", figures.wrong_codes}, {"score_error", figures.score_error},
                                         {"score_limit", options.score_limit}, {"y_error", figures.y_error},
                                         {"y_limit", options.y_limit},         {"agrees", agrees}};
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  const auto count = [](int64_t value) { return static_cast<long long>(value); };
  std::printf("tokens  %lld\n", count(figures.tokens));
  std::printf("codes   %lld of %lld differ\n", count(figures.wrong_codes), count(figures.codes));
  std::printf("scores  off by up to %.2g of the largest in their table, %.2g allowed\n", figures.score_error,
              options.score_limit);
  std::printf("y       off by up to %.2g of its rms, %.2g allowed\n", figures.y_error, options.y_limit);
  std::printf("%s\n", agrees ? "agrees" : "DIFFERS");
}

}  // namespace

Command verify_command(CLI::App& parent) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* app = parent.add_subcommand("verify", "Check a layer against recorded inputs and results");
  app->add_option("MODEL", options->model, "A layer in a safetensors file")->required();
  app->add_option("IO", options->io, "A safetensors file with x, codes, scores and y")->required();
  app->add_option("--score-limit", options->score_limit,
                  "Largest error of a score, relative to the largest of its table; default 1e-5")
      ->check(real(0, 1e9, "from 0 to 1e9"));
  app->add_option("--y-limit", options->y_limit, "Largest error of y, in rms of y; default 2e-5")
      ->check(real(0, 1e9, "from 0 to 1e9"));
  app->add_flag("--json", options->json, "Print one JSON object instead of lines");
  options->layer.add_to(*app);
  app->footer(
      "Exit status 0 if every code is the same and scores and y are within their limits, 1 if not.\n"
      "\n"
      "Examples:\n"
      "  lookupffn verify dense.model.safetensors dense.io.safetensors\n"
      "  lookupffn verify --table-dtype bf16 --y-limit 1e-2 dense.model.safetensors dense.io.safetensors");
  return {app, [options] {
            const VerifyFigures figures = compare(*options);
            const bool agrees = figures.wrong_codes == 0 && figures.score_error <= options->score_limit &&
                                figures.y_error <= options->y_limit;
            print(*options, figures, agrees);
            return agrees ? 0 : 1;
          }};
}

}  // namespace lffn::tools
