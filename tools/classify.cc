// SPDX-License-Identifier: Apache-2.0
// lookupffn classify: the class of each line of text.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct ClassifyOptions {
  std::string model;
  std::string input = "-";
  TextOptions text;
  ModelOptions load;
};

int classify(const ClassifyOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  const auto classes = static_cast<size_t>(model.info().num_classes);
  if (classes == 0) throw lookupffn::InvalidArgument(options.model + ": this model has no classifier");
  const lookupffn::RunOptions run = options.text.run_options();
  const lffn_model_run_args args = lookupffn::Model::arguments(run);
  TextInput input(options.input, "classifying", options.text.json_lines());
  lookupffn::Result result;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const auto statuses = run_records(model, records, input, args, {lookupffn::out::class_scores}, result);
    const float* const scores = result.get(lookupffn::out::class_scores).values.data();
    std::vector<float> probabilities(scores, scores + records.size() * classes);
    model.activate(LFFN_SCORES_PROBABILITIES, probabilities);
    std::string out;
    for (size_t i = 0; i < records.size(); ++i) {
      if (statuses[i] != LFFN_OK) continue;
      const float* const row = scores + i * classes;
      const auto best = static_cast<int32_t>(std::max_element(row, row + classes) - row);
      out += '{';
      append_record(out, records[i]);
      out += ",\"class\":" + std::to_string(best) + ",\"label\":";
      append_json(out, model.label(best));
      out += ",\"scores\":";
      append_json(out, row, classes);
      out += ",\"probabilities\":";
      append_json(out, &probabilities[i * classes], classes);
      out += "}\n";
    }
    if (!write_out(out)) return 1;
  }
  return input.exit_status();
}

}  // namespace

Command classify_command(CLI::App& parent) {
  auto options = std::make_shared<ClassifyOptions>();
  CLI::App* app = parent.add_subcommand("classify", "Classify each line of text");
  app->add_option("MODEL", options->model, "A model with a classifier: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  options->text.add_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"text\": ..., \"class\": 0, \"label\": ..., \"scores\": [...],\n"
      "\"probabilities\": [...]}, as soon as it is there. Classes count from 0; scores are the model's logits.\n"
      "\n"
      "Examples:\n"
      "  lookupffn classify my-model reviews.txt > classes.jsonl\n"
      "  echo '{\"text\": \"A man eats.\", \"pair\": \"Nobody eats.\"}' | lookupffn classify --json-lines my-model");
  return {app, [options] { return classify(*options); }};
}

}  // namespace lffn::tools
