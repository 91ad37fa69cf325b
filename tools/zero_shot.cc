// SPDX-License-Identifier: Apache-2.0
// lookupffn zero-shot: which of some labels fit each line of text.
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct ZeroShotOptions {
  std::string model;
  std::string input = "-";
  std::string labels;
  std::string hypothesis;
  bool several = false;
  TextOptions text;
  ModelOptions load;
};

// Splits the list at commas and removes blanks around the labels.
std::vector<std::string> labels_in(const std::string& list) {
  constexpr char kBlanks[] = " \t\r\n";
  std::vector<std::string> labels;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    const std::string label = list.substr(at, comma - at);
    const size_t first = label.find_first_not_of(kBlanks);
    if (first != std::string::npos) {
      labels.push_back(label.substr(first, label.find_last_not_of(kBlanks) + 1 - first));
    }
    at = comma + 1;
  }
  if (labels.empty()) throw lookupffn::InvalidArgument("--labels: there is no label between two commas");
  return labels;
}

int try_labels(const ZeroShotOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  const std::vector<std::string> labels = labels_in(options.labels);
  lookupffn::ZeroShotOptions how;
  if (!options.hypothesis.empty()) how.hypothesis = options.hypothesis;
  how.several = options.several;
  how.max_tokens = options.text.run_options().max_tokens;
  TextInput input(options.input, "trying labels", options.text.json_lines());
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    std::string out;
    for (size_t i = 0; i < records.size(); ++i) {
      const std::vector<lookupffn::ScoredLabel> scored = for_line(input.lines(), i, [&] {
        if (records[i].has_pair) throw lookupffn::InvalidArgument("a pair, where labels make the second text");
        return model.zero_shot(records[i].text, labels, how);
      });
      std::string scores;
      out += "{\"labels\":[";
      for (const lookupffn::ScoredLabel& label : scored) {
        if (&label != scored.data()) out += ',';
        if (&label != scored.data()) scores += ',';
        append_json(out, label.label);
        append_json(scores, label.score);
      }
      out += "],\"scores\":[" + scores + "]}\n";
    }
    if (!write_out(out)) return 1;
  }
  return 0;
}

}  // namespace

Command zero_shot_command(CLI::App& parent) {
  auto options = std::make_shared<ZeroShotOptions>();
  CLI::App* app = parent.add_subcommand("zero-shot", "Find which of some labels fit each line of text");
  app->add_option("MODEL", options->model, "A classifier of pairs that knows entailment: a folder or a single file")
      ->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  app->add_option("--labels", options->labels, "The labels, with commas between")->required()->type_name("A,B,C");
  app->add_option("--template", options->hypothesis, "What a label makes of {}; default 'This example is {}.'")
      ->type_name("TEXT");
  app->add_flag("--several", options->several, "Any number of labels may fit: each has a probability of its own");
  options->text.add_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"labels\": [...], \"scores\": [...]}, the most likely first.\n"
      "\n"
      "Examples:\n"
      "  lookupffn zero-shot my-model --labels politics,sports,science news.txt\n"
      "  echo 'My phone is broken!' | lookupffn zero-shot my-model --labels urgent,phone,garden --several");
  return {app, [options] { return try_labels(*options); }};
}

}  // namespace lffn::tools
