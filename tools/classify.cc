// lookupffn classify: the class of each line of text.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"

namespace lffn::tools {
namespace {

struct Options {
  std::string model;
  std::string input = "-";
  bool truncate = false;
  ModelOptions load;
};

// Softmax in place.
void to_probabilities(float* scores, size_t count) {
  const float largest = *std::max_element(scores, scores + count);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(scores[i] - largest));
  for (size_t i = 0; i < count; ++i) {
    scores[i] = static_cast<float>(std::exp(static_cast<double>(scores[i] - largest)) / sum);
  }
}

int classify(const Options& options) {
  const lookupffn::Model model = options.load.load(options.model);
  const auto classes = static_cast<size_t>(model.info().num_classes);
  if (classes == 0) throw lookupffn::InvalidArgument(options.model + ": this model has no classifier");
  Lines input(options.input, "classifying");
  for (std::vector<std::string> lines = input.next(kLinesAtOnce); !lines.empty(); lines = input.next(kLinesAtOnce)) {
    std::vector<float> scores = model.classify(tokenize_lines(model, lines, input, options.truncate).view());
    std::string out;
    for (size_t i = 0; i < lines.size(); ++i) {
      float* const row = &scores[i * classes];
      to_probabilities(row, classes);
      out += "{\"text\":";
      append_json(out, lines[i]);
      out += ",\"class\":" + std::to_string(std::max_element(row, row + classes) - row) + ",\"probabilities\":";
      append_json(out, row, classes);
      out += "}\n";
    }
    if (!write_out(out)) return 1;
  }
  return 0;
}

}  // namespace

Command classify_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand("classify", "Tell the class of each line of text");
  app->add_option("MODEL", options->model, "A model with a classifier: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  app->add_flag("--truncate", options->truncate, "Cut lines that are too long for the model");
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"text\": ..., \"class\": 0, \"probabilities\": [...]}, as soon as it is\n"
      "there. Classes count from 0.\n"
      "\n"
      "Examples:\n"
      "  lookupffn classify my-model reviews.txt > classes.jsonl\n"
      "  echo 'One line.' | lookupffn classify my-model");
  return {app, [options] { return classify(*options); }};
}

}  // namespace lffn::tools
