// SPDX-License-Identifier: Apache-2.0
// lookupffn embed: a vector for each line of text.
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "layer_options.h"
#include "model_options.h"
#include "npy_file.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct EmbedOptions {
  std::string model;
  std::string input = "-";
  std::string npy;
  int32_t pooling = LFFN_POOLING_MODEL;
  bool keep_length = false;
  bool unit_length = false;
  bool raw = false;
  TextOptions text;
  ModelOptions load;
};

const std::map<std::string, int32_t>& pooling_names() {
  static const std::map<std::string, int32_t> names = {{"model", LFFN_POOLING_MODEL},
                                                       {"first", LFFN_POOLING_FIRST},
                                                       {"mean", LFFN_POOLING_MEAN},
                                                       {"max", LFFN_POOLING_MAX},
                                                       {"mean-sqrt", LFFN_POOLING_MEAN_SQRT}};
  return names;
}

int embed(const EmbedOptions& options) {
  if (options.raw && isatty(STDOUT_FILENO) == 1) {
    throw lookupffn::InvalidArgument("--raw writes binary floats, and here is a terminal; redirect the output");
  }
  const lookupffn::Model model = options.load.load(options.model);
  const auto width = static_cast<size_t>(options.pooling == LFFN_POOLING_MODEL ? model.info().embedding_size
                                                                               : model.info().hidden_size);
  lookupffn::RunOptions run = options.text.run_options();
  run.pooling = options.pooling;
  if (options.keep_length) run.normalize = LFFN_NORMALIZE_NO;
  if (options.unit_length) run.normalize = LFFN_NORMALIZE_YES;
  lffn_model_run_args args = lookupffn::Model::arguments(run);
  args.wanted = LFFN_WANT_EMBEDDINGS;
  TextInput input(options.input, "embedding", options.text.json_lines());
  std::unique_ptr<NpyFile> npy;
  if (!options.npy.empty()) npy = std::make_unique<NpyFile>(options.npy, width);
  lookupffn::Result result;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const lookupffn::ResultView view = run_records(model, records, input, args, result);
    const float* const vectors = view.embeddings;
    if (npy != nullptr) {
      npy->write(vectors, records.size());
      continue;
    }
    std::string out;
    if (options.raw) {
      out.assign(reinterpret_cast<const char*>(vectors), records.size() * width * sizeof(float));
    }
    for (size_t i = 0; i < records.size() && !options.raw; ++i) {
      if (view.statuses[i] != LFFN_OK) continue;
      out += '{';
      append_record(out, records[i]);
      out += ",\"embedding\":";
      append_json(out, &vectors[i * width], width);
      out += "}\n";
    }
    if (!write_out(out)) return 1;
  }
  if (npy != nullptr) npy->finish();
  return input.exit_status();
}

}  // namespace

Command embed_command(CLI::App& parent) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App* app = parent.add_subcommand("embed", "Turn each line of text into a vector");
  app->add_option("MODEL", options->model, "A model: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  add_choice(*app, "--pooling", options->pooling, pooling_names(),
             "How a line's tokens become one vector: model, first, mean, max or mean-sqrt; default: as the model says");
  CLI::Option* const keep =
      app->add_flag("--keep-length", options->keep_length, "Do not scale the vectors to length 1");
  app->add_flag("--unit-length", options->unit_length, "Scale the vectors to length 1")->excludes(keep);
  CLI::Option* const raw =
      app->add_flag("--raw", options->raw, "Write little-endian float32, vector after vector, instead of JSON");
  app->add_option("--npy", options->npy, "Write a NumPy file of [lines, numbers] instead of JSON")
      ->type_name("FILE.npy")
      ->excludes(raw);
  options->text.add_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"text\": ..., \"embedding\": [...]}, as soon as it is there, made as the\n"
      "model means it: its prompt, its pooling, its scaling. The scalar product of two vectors of length 1 tells how\n"
      "alike their lines are. A line that cannot be read is told on standard error, the others are written; with --raw "
      "and\n"
      "--npy its numbers are zeros. The exit status is 1 then.\n"
      "\n"
      "Examples:\n"
      "  lookupffn embed my-model sentences.txt > vectors.jsonl\n"
      "  lookupffn embed --npy vectors.npy my-model sentences.txt\n"
      "  echo '\"One text.\"' | lookupffn embed --json-lines my-model");
  return {app, [options] { return embed(*options); }};
}

}  // namespace lffn::tools
