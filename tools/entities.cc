// SPDX-License-Identifier: Apache-2.0
// lookupffn entities: the names, places and the like in each line of text.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct EntitiesOptions {
  std::string model;
  std::string input = "-";
  int32_t aggregation = LFFN_AGGREGATION_SIMPLE;
  bool all_labels = false;
  TextOptions text;
  ModelOptions load;
};

int find_entities(const EntitiesOptions& options) {
  namespace out = lookupffn::out;
  const lookupffn::Model model = options.load.load(options.model);
  if (model.info().token_head != LFFN_TOKEN_HEAD_CLASSES) {
    throw lookupffn::InvalidArgument(options.model + ": this model has no classes of tokens");
  }
  const lookupffn::RunOptions run = options.text.run_options();
  lffn_model_run_args args = lookupffn::Model::arguments(run);
  args.aggregation = options.aggregation;
  if (options.all_labels) args.flags |= LFFN_RUN_ALL_LABELS;
  TextInput input(options.input, "finding entities", options.text.json_lines());
  lookupffn::Result result;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const auto statuses = run_records(
        model, records, input, args,
        {out::entity_begins, out::entity_ends, out::entity_scores, out::entity_classes, out::entity_offsets}, result);
    const auto begins = result.get(out::entity_begins), ends = result.get(out::entity_ends);
    const auto offsets = result.get(out::entity_offsets);
    const auto scores = result.get(out::entity_scores);
    const auto classes = result.get(out::entity_classes);
    std::string json;
    for (size_t i = 0; i < records.size(); ++i) {
      if (statuses[i] != LFFN_OK) continue;
      json += "{\"entities\":[";
      const auto first = static_cast<size_t>(offsets[i]), last = static_cast<size_t>(offsets[i + 1]);
      for (size_t e = first; e < last; ++e) {
        if (e > first) json += ',';
        const auto begin = static_cast<size_t>(begins[e]), end = static_cast<size_t>(ends[e]);
        json += "{\"label\":";
        append_json(json, options.aggregation == LFFN_AGGREGATION_NONE
                              ? lffn_model_label(model.get(), classes[e])
                              : lffn_model_entity_label(model.get(), classes[e]));
        json += ",\"score\":";
        append_json(json, scores[e]);
        json += ",\"begin\":" + std::to_string(begin) + ",\"end\":" + std::to_string(end) + ",\"text\":";
        append_json(json, records[i].text.substr(begin, end - begin));
        json += '}';
      }
      json += "]}\n";
    }
    if (!write_out(json)) return 1;
  }
  return input.exit_status();
}

}  // namespace

Command entities_command(CLI::App& parent) {
  auto options = std::make_shared<EntitiesOptions>();
  CLI::App* app = parent.add_subcommand("entities", "Find names, places and the like in each line of text");
  app->add_option("MODEL", options->model, "A model with classes of tokens: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  const std::map<std::string, int32_t> aggregations = {{"none", LFFN_AGGREGATION_NONE},
                                                       {"simple", LFFN_AGGREGATION_SIMPLE},
                                                       {"first", LFFN_AGGREGATION_FIRST},
                                                       {"average", LFFN_AGGREGATION_AVERAGE},
                                                       {"max", LFFN_AGGREGATION_MAX}};
  app->add_option("--aggregation", options->aggregation,
                  "How tokens are joined: none, simple (the default), or words by their first, average, max token")
      ->transform(CLI::CheckedTransformer(aggregations))
      ->type_name("HOW")
      ->option_text("HOW");
  app->add_flag("--all-labels", options->all_labels, "Also parts with the label O, which are not entities");
  options->text.add_uncut_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Each line becomes one line of JSON, {\"entities\": [{\"label\": ..., \"score\": ..., \"begin\": 0, \"end\": 5,\n"
      "\"text\": ...}, ...]}. begin and end count bytes of the text. A text that is too long for the model is an "
      "error,\n"
      "unless --max-tokens or --truncate cuts it.\n"
      "\n"
      "Examples:\n"
      "  lookupffn entities my-model letters.txt > entities.jsonl\n"
      "  echo 'Ada Lovelace was born in London.' | lookupffn entities --aggregation first my-model");
  return {app, [options] { return find_entities(*options); }};
}

}  // namespace lffn::tools
