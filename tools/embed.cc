// lookupffn embed: a vector for each line of text.
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "command.h"
#include "layer_options.h"
#include "model_options.h"

namespace lffn::tools {
namespace {

struct Options {
  std::string model;
  std::string input = "-";
  int32_t pooling = LFFN_POOLING_MEAN;
  bool keep_length = false;
  bool truncate = false;
  bool raw = false;
  ModelOptions load;
};

const std::map<std::string, int32_t>& pooling_names() {
  static const std::map<std::string, int32_t> names = {
      {"first", LFFN_POOLING_FIRST}, {"mean", LFFN_POOLING_MEAN}, {"max", LFFN_POOLING_MAX}};
  return names;
}

int embed(const Options& options) {
  if (options.raw && isatty(STDOUT_FILENO) == 1) {
    throw lookupffn::InvalidArgument("--raw writes binary floats, and here is a terminal; redirect the output");
  }
  const lookupffn::Model model = options.load.load(options.model);
  const auto width = static_cast<size_t>(model.info().hidden_size);
  Lines input(options.input, "embedding");
  for (std::vector<std::string> lines = input.next(kLinesAtOnce); !lines.empty(); lines = input.next(kLinesAtOnce)) {
    const lookupffn::TokenBatch sequences = tokenize_lines(model, lines, input, options.truncate);
    const std::vector<float> vectors = model.embed(sequences.view(), options.pooling, !options.keep_length);
    std::string out;
    if (options.raw) {
      out.assign(reinterpret_cast<const char*>(vectors.data()), vectors.size() * sizeof(float));
    }
    for (size_t i = 0; i < lines.size() && !options.raw; ++i) {
      out += "{\"text\":";
      append_json(out, lines[i]);
      out += ",\"embedding\":";
      append_json(out, &vectors[i * width], width);
      out += "}\n";
    }
    if (!write_out(out)) return 1;
  }
  return 0;
}

}  // namespace

Command embed_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand("embed", "Turn each line of text into a vector");
  app->add_option("MODEL", options->model, "A model: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  add_choice(*app, "--pooling", options->pooling, pooling_names(),
             "How a line's tokens become one vector: first, mean or max; default mean");
  app->add_flag("--keep-length", options->keep_length, "Do not scale the vectors to length 1");
  app->add_flag("--truncate", options->truncate, "Cut lines that are too long for the model");
  app->add_flag("--raw", options->raw, "Write little-endian float32, vector after vector, instead of JSON");
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"text\": ..., \"embedding\": [...]}, as soon as it is there. The scalar\n"
      "product of two vectors of length 1 tells how alike their lines are.\n"
      "\n"
      "Examples:\n"
      "  lookupffn embed my-model sentences.txt > vectors.jsonl\n"
      "  lookupffn embed --raw my-model sentences.txt > vectors.f32\n"
      "  echo 'One line.' | lookupffn embed my-model");
  return {app, [options] { return embed(*options); }};
}

}  // namespace lffn::tools
