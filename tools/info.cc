// SPDX-License-Identifier: Apache-2.0
// lookupffn info: what a file holds and what it costs to run.
#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"
#include "info_model.h"
#include "layer_options.h"
#include "model_options.h"

namespace lffn::tools {
namespace {

struct InfoOptions {
  std::string path;
  bool json = false;
  ModelOptions load;
};

// Whether the model's error message tells more than the layer's: for folders, and for files that are not a layer's.
bool looks_like_a_model(const std::string& path, const std::string& message) {
  struct stat status;
  const bool folder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  return folder || message.find("kind") == std::string::npos;
}

std::string shortest(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", static_cast<double>(value));
  return text;
}

void print_table(const std::string& path, const lffn_layer_info& info) {
  const std::string projection = name_of(projection_names(), info.projection);
  row("file", path);
  row("input", number(info.hidden_size) + " floats per token");
  row("output", number(info.output_size) + " floats per token");
  row("layer norm", info.layer_norm != 0 ? "yes, eps " + shortest(info.layer_norm_eps) : "no");
  if (info.projection == LFFN_PROJECTION_DENSE) {
    row("projection", projection);
  } else {
    row("projection", projection + ", block size " + number(info.block_size) + ", chains " + number(info.num_chains) +
                          ", decay " + shortest(info.decay_coeff));
  }
  row("tables", number(info.num_tables) + " of " + number(info.table_size) + " rows");
  row("code", number(info.code_bits) + " bits, " + name_of(activation_names(), info.activation));
  row("probes", number(info.num_probes) + " per table");
  row("table numbers", name_of(dtype_names(), info.table_dtype));
  row("hash numbers", name_of(dtype_names(), info.hash_dtype));
  row("parameters", number(info.num_parameters));
  row("cost", number(info.flop_per_token) + " FLOP per token");
  row("on disk", number(static_cast<int64_t>(info.file_bytes)) + " bytes");
  row("in memory", number(static_cast<int64_t>(info.memory_bytes)) + " bytes");
  row("scratch", "at most " + number(static_cast<int64_t>(info.scratch_bytes)) + " bytes per forward");
  row("threads", number(info.num_threads));
}

void print_json(const std::string& path, const lffn_layer_info& info) {
  const nlohmann::ordered_json json = {
      {"file", path},
      {"hidden_size", info.hidden_size},
      {"output_size", info.output_size},
      {"num_tables", info.num_tables},
      {"table_size", info.table_size},
      {"code_bits", info.code_bits},
      {"projection", name_of(projection_names(), info.projection)},
      {"block_size", info.block_size},
      {"num_chains", info.num_chains},
      {"activation", name_of(activation_names(), info.activation)},
      {"num_probes", info.num_probes},
      {"layer_norm", info.layer_norm != 0},
      {"decay_coeff", info.decay_coeff},
      {"layer_norm_eps", info.layer_norm_eps},
      {"table_dtype", name_of(dtype_names(), info.table_dtype)},
      {"hash_dtype", name_of(dtype_names(), info.hash_dtype)},
      {"num_threads", info.num_threads},
      {"flop_per_token", info.flop_per_token},
      {"num_parameters", info.num_parameters},
      {"file_bytes", info.file_bytes},
      {"memory_bytes", info.memory_bytes},
      {"scratch_bytes", info.scratch_bytes},
  };
  // A file name need not be UTF-8, JSON must be.
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

Command info_command(CLI::App& parent) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* app = parent.add_subcommand("info", "Describe a model or a layer and what it costs to run");
  app->add_option("PATH", options->path, "A model's folder or file, or a layer in a safetensors file")->required();
  app->add_flag("--json", options->json, "Print one JSON object instead of a table");
  options->load.add_to(*app);
  app->footer(
      "The file is loaded and checked in full. The dtype options tell what it would take in another form.\n"
      "\n"
      "Examples:\n"
      "  lookupffn info all-MiniLM-L6-v2\n"
      "  lookupffn info layer.safetensors\n"
      "  lookupffn info --json --table-dtype bf16 layer.safetensors");
  return {app, [options] {
            lookupffn::Outcome<lookupffn::Model> model = options->load.try_load(options->path);
            if (model) {
              print_model(options->path, model.value, options->json);
              return 0;
            }
            const std::string not_a_model = lffn_last_error();
            lookupffn::Outcome<lookupffn::Layer> layer = lookupffn::Layer::try_load(options->path, options->load.get());
            if (!layer) {
              // The path is a folder, or a file that calls itself a model: the message for models helps more.
              if (looks_like_a_model(options->path, not_a_model)) throw lookupffn::Error(model.status, not_a_model);
              lookupffn::check(layer.status);
            }
            if (options->json) {
              print_json(options->path, layer.value.info());
            } else {
              print_table(options->path, layer.value.info());
            }
            return 0;
          }};
}

}  // namespace lffn::tools
