// SPDX-License-Identifier: Apache-2.0
// lookupffn search: the lines of a file that are most like a query.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "comparison.h"
#include "model_options.h"
#include "text_options.h"

namespace lffn::tools {
namespace {

struct SearchOptions {
  std::string model;
  std::string query;
  std::string input = "-";
  std::optional<std::string> query_prompt;
  std::optional<std::string> query_prompt_text;
  size_t top = 5;
  bool json = false;
  TextOptions text;
  ModelOptions load;
};

lookupffn::RunOptions query_options(const SearchOptions& options) {
  lookupffn::RunOptions run = options.text.run_options();
  if (options.query_prompt) {
    run.prompt_kind = LFFN_PROMPT_NAMED;
    run.prompt = *options.query_prompt;
  } else if (options.query_prompt_text) {
    run.prompt_kind = LFFN_PROMPT_TEXT;
    run.prompt = *options.query_prompt_text;
  }
  return run;
}

int search(const SearchOptions& options) {
  const lookupffn::Model model = options.load.load(options.model);
  Comparison comparison(model, Comparison::kind_of(model), options.query, query_options(options),
                        options.text.run_options());
  TextInput input(options.input, "searching", options.text.json_lines());
  std::vector<std::string> lines;
  std::vector<size_t> indexes;  // of the lines in the input
  size_t lines_read = 0;
  std::vector<float> scores;
  for (std::vector<TextRecord> records = input.next(); !records.empty(); records = input.next()) {
    const std::vector<std::optional<float>> found = comparison.scores(records, input);
    for (size_t i = 0; i < records.size(); ++i) {
      lines_read += 1;
      if (!found[i]) continue;
      indexes.push_back(lines_read - 1);
      scores.push_back(*found[i]);
      lines.push_back(std::move(records[i].text));
    }
  }
  std::vector<size_t> order = best_first(scores);
  if (options.top < order.size()) order.resize(options.top);
  std::string out;
  for (const size_t i : order) {
    if (options.json) {
      out += "{\"index\":" + std::to_string(indexes[i]) + ",\"score\":";
      append_json(out, scores[i]);
      out += ",\"text\":";
      append_json(out, lines[i]);
      out += "}\n";
    } else {
      char score[32];
      std::snprintf(score, sizeof score, "%7.4f  ", static_cast<double>(scores[i]));
      out += score + lines[i] + '\n';
    }
  }
  return write_out(out) ? input.exit_status() : 1;
}

}  // namespace

Command search_command(CLI::App& parent) {
  auto options = std::make_shared<SearchOptions>();
  CLI::App* app = parent.add_subcommand("search", "Find the lines of a file that are most like a query");
  app->add_option("MODEL", options->model, "A model: a folder or a single file")->required();
  app->add_option("FILE", options->input, "Lines of UTF-8 text; default or -: standard input");
  app->add_option("--query", options->query, "What to look for")->required()->type_name("TEXT");
  CLI::Option* const named =
      app->add_option("--query-prompt", options->query_prompt, "The model's prompt of this name goes before the query")
          ->type_name("NAME");
  app->add_option("--query-prompt-text", options->query_prompt_text, "This text goes before the query")
      ->type_name("TEXT")
      ->excludes(named);
  app->add_option("--top", options->top, "How many lines; default 5")->check(whole(1))->type_name("N");
  app->add_flag("--json", options->json, "Print {\"index\": ..., \"score\": ..., \"text\": ...}, an object a line");
  options->text.add_to(*app);
  options->load.add_to(*app);
  app->footer(
      "Scores are cosines: 1 for the same meaning, about 0 for none in common. A model of sparse vectors scores by\n"
      "their products, a late-interaction model by its sums of products, a reranker by its logit of each pair.\n"
      "\n"
      "Before the query and before the lines goes the model's prompt for queries and for documents, as in `evaluate`:\n"
      "--no-prompt leaves both out, --prompt and --prompt-text replace both, --query-prompt and --query-prompt-text\n"
      "the query's.\n"
      "\n"
      "Examples:\n"
      "  lookupffn search my-model sentences.txt --query 'Somebody has a meal.'\n"
      "  lookupffn search e5-small-v2 passages.txt --prompt-text 'passage: ' \\\n"
      "      --query-prompt-text 'query: ' --query 'How old is the sun?'");
  return {app, [options] { return search(*options); }};
}

}  // namespace lffn::tools
