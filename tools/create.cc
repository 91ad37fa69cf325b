// SPDX-License-Identifier: Apache-2.0
// lookupffn create: a layer with random weights, for tests and timing.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "command.h"
#include "layer_options.h"
#include "progress.h"

namespace lffn::tools {
namespace {

struct CreateOptions {
  std::string path;
  bool force = false;
  bool no_layer_norm = false;
  lookupffn::LayerConfig config;
  LayerOptions layer;
  ShapeOptions model;
};

int create(CreateOptions& options) {
  if (!options.force && access(options.path.c_str(), F_OK) == 0) {
    throw lookupffn::InvalidArgument(options.path + " exists; --force replaces it");
  }
  if (options.model.given()) {
    options.model.write(options.config, options.config.num_tables > 0, options.path);
    const lookupffn::LoadOptions& held = options.layer.get();
    if (held.table_dtype != LFFN_DTYPE_AS_STORED || held.hash_dtype != LFFN_DTYPE_AS_STORED) {
      lookupffn::Model::load(options.path, held).save(options.path);
    }
    return 0;
  }
  options.config.layer_norm = options.no_layer_norm ? 0 : 1;
  const Progress progress("creating " + options.path);
  lookupffn::Layer::create(options.config, {}, options.layer.get()).save(options.path);
  return 0;
}

void add_options(CLI::App& app, CreateOptions& options) {
  lookupffn::LayerConfig& config = options.config;
  app.add_option("FILE", options.path, "The safetensors file to write")->required();
  app.add_option("--hidden-size", config.hidden_size, "Floats per input token")
      ->required()
      ->check(whole(1))
      ->type_name("N");
  app.add_option("--output-size", config.output_size, "Floats per output token; 0 = hidden size")
      ->check(whole(0))
      ->type_name("N");
  CLI::Option* tables =
      app.add_option("--tables", config.num_tables, "How many tables")->check(whole(1))->type_name("N");
  app.add_option("--table-size", config.table_size, "Rows per table, a power of two")
      ->check(whole(1))
      ->type_name("N")
      ->needs(tables);
  add_choice(app, "--projection", config.projection, projection_names(), "dense or bh1 to bh9; default bh4");
  app.add_option("--block-size", config.block_size, "Of the BH blocks, a power of two; default 64")
      ->check(whole(1))
      ->type_name("N");
  add_choice(app, "--activation", config.activation, activation_names(), "gelu or sigmoid; default gelu");
  app.add_option("--probes", config.num_probes, "Rows read per table; default 1")->check(whole(1))->type_name("N");
  app.add_flag("--no-layer-norm", options.no_layer_norm, "Leave out the layer norm");
  app.add_option("--decay", config.decay_coeff, "Weight of the projection against its input; default 0.7")
      ->check(real(-1e30, 1e30, "that is finite"));
  app.add_option("--seed", config.seed, "The same seed gives the same file on every machine; default 0");
  app.add_flag("--force", options.force, "Replace a file that exists");
  options.layer.add_to(app);
  options.model.add_to(app);
}

}  // namespace

Command create_command(CLI::App& parent) {
  auto options = std::make_shared<CreateOptions>();
  CLI::App* app = parent.add_subcommand("create", "Write a layer or a model with random weights, for tests and timing");
  add_options(*app, *options);
  app->callback([app, options] {
    if (options->model.given()) return;
    for (const char* needed : {"--tables", "--table-size"}) {
      if (app->count(needed) == 0) throw CLI::RequiredError(std::string(needed) + " or --layers");
    }
  });
  app->footer(
      "Examples:\n"
      "  lookupffn create --hidden-size 512 --tables 128 --table-size 256 layer.safetensors\n"
      "  lookupffn create --hidden-size 768 --tables 170 --table-size 512 --table-dtype bf16 --seed 7 "
      "layer.safetensors\n"
      "  lookupffn create --hidden-size 384 --layers 6 --neurons 256 --heads 4,4,4,6,6,8 --word-rows 30522 "
      "--word-dtype int8 student.safetensors");
  return {app, [options] { return create(*options); }};
}

}  // namespace lffn::tools
